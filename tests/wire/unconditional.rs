//! What is lost with a store that can only read and write: the figures in the documentation of `wire::step`.

use core::time::Duration;
use std::collections::HashMap;

use tollgate::wire::Wire;
use tollgate::wire::step::{self, Step};
use tollgate::{FixedWindow, Timestamp};

fn quota(quota: u32) -> FixedWindow {
    FixedWindow::constant(quota, Duration::from_secs(60))
}

/// What a machine that has read these bytes will write, if its request passes.
fn read(policy: &FixedWindow, stored: &Option<Vec<u8>>) -> Option<Vec<u8>> {
    match step::check(policy, stored.as_deref(), 1, Timestamp::ZERO, Duration::ZERO).unwrap() {
        Step::Settled { .. } => None,
        Step::Write(write) => Some(write.state.to_vec()),
    }
}

#[test]
fn machines_in_lockstep_admit_a_quota_each() {
    for machines in 1..=5 {
        let policy = quota(10);
        let (mut stored, mut admitted) = (None, 0);
        loop {
            let writes: Vec<_> = (0..machines).filter_map(|_| read(&policy, &stored)).collect();
            admitted += writes.len();
            match writes.into_iter().next_back() {
                Some(last) => stored = Some(last),
                None => break,
            }
        }
        assert_eq!(admitted, machines * 10);
    }
}

/// A slow machine writes whenever a quick one has used the quota up.
fn slow_and_quick(limit: u32) -> u32 {
    let policy = quota(limit);
    let (mut stored, mut admitted) = (None, 0);
    while let Some(slow) = read(&policy, &stored) {
        while let Some(quick) = read(&policy, &stored) {
            stored = Some(quick);
            admitted += 1;
        }
        stored = Some(slow);
        admitted += 1;
    }
    admitted
}

#[test]
fn a_slow_machine_beside_a_quick_one_sets_the_count_back_each_time() {
    for limit in 1..=40 {
        assert_eq!(slow_and_quick(limit), limit * (limit + 3) / 2);
    }
    assert_eq!((slow_and_quick(10), slow_and_quick(100)), (65, 5_150));
}

/// What is stored, as units used, and what each of two machines has read and not written yet.
type Moment = (u32, [Option<u32>; 2]);

/// The most that can be admitted from some moment on, whatever the order of reads and writes.
fn worst(limit: u32, moment: Moment, known: &mut HashMap<Moment, u32>) -> u32 {
    if let Some(worst) = known.get(&moment) {
        return *worst;
    }
    let (stored, held) = moment;
    let mut most = 0;
    for machine in 0..2 {
        let mut next = held;
        match next[machine].take() {
            Some(read) => most = most.max(1 + worst(limit, (read + 1, next), known)),
            None if stored < limit => {
                next[machine] = Some(stored);
                most = most.max(worst(limit, (stored, next), known));
            }
            None => {}
        }
    }
    known.insert(moment, most);
    most
}

#[test]
fn no_order_of_two_machines_is_worse() {
    for limit in 1..=20 {
        assert_eq!(worst(limit, (0, [None; 2]), &mut HashMap::new()), limit * (limit + 3) / 2);
    }
}
