//! A share of the quota for each node, and no server: or for one node the whole quota, which is what one limiter would do that sees each
//! request when it is made.

use tollgate::{SlidingLog, SlidingLogState, Timestamp};

use crate::outcome::Verdict;
use crate::server::Answer;
use crate::sharing::{Scene, Settings, Sharing};

pub(crate) struct Shares {
    /// What each node judges by, and what it remembers.
    nodes: Vec<(Option<SlidingLog>, SlidingLogState)>,
    /// Which of them judges for a node.
    whole: bool,
}

impl Shares {
    /// The quota in equal parts; the first nodes have one unit more where it does not divide. A node without a unit denies all.
    pub(crate) fn equal(settings: &Settings) -> Self {
        let (quota, nodes) = (settings.policy.quota(), settings.nodes as u32);
        let share = |node| quota / nodes + u32::from(node < quota % nodes);
        let policy = |node| SlidingLog::new(share(node), settings.policy.window()).ok();
        Self { nodes: (0..nodes).map(|node| (policy(node), SlidingLogState::default())).collect(), whole: false }
    }

    /// One limiter for all.
    pub(crate) fn one(settings: &Settings) -> Self {
        Self { nodes: vec![(Some(settings.policy), SlidingLogState::default())], whole: true }
    }
}

impl Sharing for Shares {
    /// Nothing is asked.
    type Errand = std::convert::Infallible;

    fn request(&mut self, node: usize, now: Timestamp, scene: &mut Scene<Self::Errand>) {
        let (policy, state) = &mut self.nodes[if self.whole { 0 } else { node }];
        let admitted = policy.is_some_and(|policy| policy.judge(state, now).is_allow());
        scene.decide(scene.network.now(), if admitted { Verdict::Admitted } else { Verdict::Denied });
    }

    fn answer(&mut self, _: usize, _: Timestamp, errand: Self::Errand, _: Answer, _: &mut Scene<Self::Errand>) {
        match errand {}
    }
}
