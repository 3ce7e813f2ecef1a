//! A device's async loop: a radio that may be on the air for 36 s an hour (EN 300 220, 1 %), by a 32-bit counter of microseconds that
//! wraps. With embassy, `ticks` is `embassy_time::Instant::now().as_ticks()`, and `block_on` its executor.
use core::num::NonZeroU32;
use core::task::{Context, Poll, Waker};
use core::time::Duration;
use std::pin::pin;

use tollgate::{CostExceedsLimit, SlidingLog, SlidingLogArray, Timestamp, Wrapping32};

/// In milliseconds of airtime.
const DUTY_CYCLE: SlidingLog = SlidingLog::constant(36_000, Duration::from_secs(3600));
const HZ: NonZeroU32 = NonZeroU32::new(1_000_000).unwrap();

async fn radio(packets: &[u32], mut ticks: impl FnMut() -> u32) -> Result<u32, CostExceedsLimit> {
    // A ring for as many packets an hour as there can be: here at least half a second each.
    let mut airtime = SlidingLogArray::<72>::default();
    let (mut counter, mut sent) = (Wrapping32::starting_at(ticks()), 0);
    for &milliseconds in packets {
        // To be asked once in 2^32 us (71.6 minutes) at least, packet or none: a wrap that it does not see is lost time.
        let now = Timestamp::from_ticks(counter.extend(ticks()), HZ);
        if DUTY_CYCLE.judge_n(&mut airtime, milliseconds, now)?.is_allow() {
            sent += 1; // transmit(packet).await
        }
    }
    Ok(sent)
}

fn main() {
    let mut time = u32::MAX - 2_000_000;
    let ticks = || {
        time = time.wrapping_add(1_000_000);
        time
    };
    let mut radio = pin!(radio(&[20_000; 3], ticks));
    let Poll::Ready(sent) = radio.as_mut().poll(&mut Context::from_waker(Waker::noop())) else { return };
    println!("{sent:?} of 3 packets of 20 s were sent");
}
