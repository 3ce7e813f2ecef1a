//! How the answers that are given compare with the right ones.

use serde::Serialize;
use tollgate_vectors::{Case, Integers, to_line};

/// How many answers were right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Verdict {
    right: usize,
    wrong: usize,
    /// Questions without an answer.
    open: usize,
}

impl Verdict {
    /// Compares the answers of a case, and tells the first that is wrong: those after it mostly follow from it.
    pub(crate) fn case<C: Case>(&mut self, given: &C, right: &C) -> serde_json::Result<Option<String>> {
        let mut first = None;
        if right.policy_error().is_some() || given.policy_error().is_some() {
            first = self.compare("its policy", given.policy_error(), right.policy_error())?;
        }
        for (index, (step, right)) in given.steps().iter().zip(right.steps()).enumerate() {
            let difference = self.step::<C>(step, right)?;
            first = first.or(difference.map(|difference| format!("step {index}, {difference}")));
        }
        Ok(first.map(|first| format!("{:?} ({}): {first}", given.name(), given.why())))
    }

    /// Compares the answer of a step.
    pub(crate) fn step<C: Case>(&mut self, given: &C::Step, right: &C::Step) -> serde_json::Result<Option<String>> {
        let question = to_line(&C::with_answer(given.clone(), None), Integers::Numbers)?;
        self.compare(&question, C::answer_in(given), C::answer_in(right))
    }

    fn compare<A: PartialEq + Serialize>(
        &mut self,
        question: &str,
        given: Option<A>,
        right: Option<A>,
    ) -> serde_json::Result<Option<String>> {
        if given == right {
            self.right += 1;
        } else if given.is_none() {
            self.open += 1;
        } else {
            self.wrong += 1;
            let (given, right) = (to_line(&given, Integers::Numbers)?, to_line(&right, Integers::Numbers)?);
            return Ok(Some(format!("{question} is answered {given}; right is {right}")));
        }
        Ok(None)
    }

    pub(crate) fn is_right(&self) -> bool {
        self.wrong == 0
    }

    /// All in one line, if there was anything to compare.
    pub(crate) fn summary(&self) -> Result<String, String> {
        let Self { right, wrong, open } = self;
        if right + wrong == 0 {
            return Err("there is nothing to check: no answer was given".to_owned());
        }
        let open = if *open > 0 { format!(", {open} not given") } else { String::new() };
        Ok(format!("{right} answers right, {wrong} wrong{open}"))
    }
}
