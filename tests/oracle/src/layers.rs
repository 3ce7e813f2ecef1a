//! Several policies judged together: all admit, or nothing changes.

use crate::model::{Answer, Model};
use crate::policy::Policy;

/// One of several policies, with the key that it is asked about.
#[derive(Debug)]
pub struct Layer<'a> {
    /// What is remembered of the layer's key.
    pub model: &'a mut Model,
    /// The layer's policy.
    pub policy: &'a Policy,
    /// What the request costs here.
    pub cost: u32,
}

/// Judges a request under all layers, and counts it in all of them if it passes all of them.
///
/// What can never pass one layer, never passes; else the longest wait decides.
pub fn check_all(layers: &mut [Layer<'_>], now: u64) -> Answer {
    let answer = peek_all(layers, now);
    if answer == Answer::Allow {
        for layer in layers {
            layer.model.charge(layer.policy, layer.cost, now);
        }
    }
    answer
}

/// The answer that [`check_all`] would give.
pub fn peek_all(layers: &[Layer<'_>], now: u64) -> Answer {
    layers.iter().map(|layer| layer.model.peek(layer.policy, layer.cost, now)).fold(Answer::Allow, stricter)
}

/// The most that would pass all layers now, if it cost the same in each; `None` without layers.
pub fn remaining_in_all(layers: &[Layer<'_>], now: u64) -> Option<u32> {
    layers.iter().map(|layer| layer.model.remaining(layer.policy, now)).min()
}

fn stricter(one: Answer, other: Answer) -> Answer {
    match (one, other) {
        (Answer::Never, _) | (_, Answer::Never) => Answer::Never,
        (Answer::Deny { retry_after_ns: a }, Answer::Deny { retry_after_ns: b }) => {
            Answer::Deny { retry_after_ns: a.max(b) }
        }
        (Answer::Allow, answer) | (answer, Answer::Allow) => answer,
    }
}
