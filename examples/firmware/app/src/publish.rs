//! Messages by topic: four a minute of each. For a topic that finds no room among the live ones, the caller decides.

use core::time::Duration;

use tollgate::{Decision, Full, Slot, Slots, TokenBucket, TokenBucketState};

use crate::{Board, Device};

/// Four a minute, two at once.
pub const MESSAGES: TokenBucket =
    TokenBucket::constant_with(4, Duration::from_secs(60), 2, tollgate::Refill::Continuous);

/// Topics that are remembered.
pub const TOPICS: usize = 2;

/// The topics of late. With hashing, and for more of them: `Bounded` over one of heapless's maps.
#[derive(Default)]
pub struct Publisher {
    topics: Slots<[Slot<&'static str, TokenBucketState>; TOPICS]>,
}

impl Publisher {
    /// Whether a message may be published.
    ///
    /// # Errors
    ///
    /// [`Full`] where other topics take all the room.
    pub fn publish<B: Board>(&mut self, device: &mut Device<B>, topic: &'static str) -> Result<Decision, Full> {
        let now = device.now();
        let answer = MESSAGES.check(&mut self.topics, &topic, now);
        device.decided("publish", topic, 1, now, answer);
        answer
    }
}
