//! What one policy has admitted lately, to be held against the bound.
//!
//! The bound is one policy's, so a stretch ends where the policy changes. Its lists stay short, since to hold one takes the square of its
//! length: every so often it is held, and only the newer half goes on, so that any interval with that many admissions is seen whole.

use tollgate_oracle::Policy;
use tollgate_oracle::bound::{Admission, holds};

use super::Figures;

/// The length at which a list is held.
const LONGEST: usize = 96;

#[derive(Debug)]
pub(super) struct Stretch {
    policy: Policy,
    /// By their effective times.
    admissions: Vec<Admission>,
    latest: u64,
}

impl Stretch {
    pub(super) fn new(policy: Policy) -> Self {
        Self { policy, admissions: Vec::new(), latest: 0 }
    }

    fn opens_windows(&self) -> bool {
        matches!(self.policy, Policy::FixedWindow { .. })
    }

    /// Ends here. Another policy may go on.
    pub(super) fn change(&mut self, policy: Policy, figures: &mut Figures) {
        self.hold(figures);
        self.admissions.clear();
        self.policy = policy;
    }

    /// Takes what was counted at a key that had expired, or not.
    pub(super) fn count(&mut self, at: u64, units: u32, expired: bool, figures: &mut Figures) {
        self.latest = self.latest.max(at);
        if self.admissions.len() >= LONGEST && (expired || !self.opens_windows()) {
            self.hold(figures);
            let kept = if self.opens_windows() { 0 } else { LONGEST / 2 };
            self.admissions.drain(..self.admissions.len() - kept);
        }
        // Where a window ends can be told from the admissions only if the first of them opened it.
        if !self.admissions.is_empty() || expired || !self.opens_windows() {
            self.admissions.push(Admission { at_ns: self.latest, units });
        }
    }

    /// Takes units out of the newest admissions, as far as they still count.
    pub(super) fn give_back(&mut self, at: u64, units: u32, expired: bool, figures: &mut Figures) {
        if self.opens_windows() {
            // A window that was given back whole is opened anew by the next admission, at a time that the admissions do not tell.
            self.change(self.policy, figures);
        } else if !expired {
            let read = at.max(self.latest);
            let mut owed = units;
            for admission in self.admissions.iter_mut().rev() {
                let counts = match self.policy {
                    Policy::SlidingLog { window_ns, .. } => read < admission.at_ns + window_ns,
                    _ => true,
                };
                let back = if counts { owed.min(admission.units) } else { 0 };
                admission.units -= back;
                owed -= back;
            }
        }
    }

    fn hold(&self, figures: &mut Figures) {
        if !self.admissions.is_empty() {
            assert_eq!(holds(&self.policy, &self.admissions), Ok(()), "{:?}: {:?}", self.policy, self.admissions);
            figures.bounds += 1;
        }
    }
}
