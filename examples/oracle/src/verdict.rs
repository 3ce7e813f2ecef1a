//! How the answers that are given compare with the right ones.

use serde_json::{Map, Value};
use tollgate_vectors::{Case, Integers, PolicyError, Reply, to_line};

/// How many answers were right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Verdict {
    right: usize,
    /// Those of them in which a member was not given.
    in_part: usize,
    wrong: usize,
    /// Questions without an answer.
    open: usize,
}

impl Verdict {
    /// Compares the answers of a case, and tells the first that is wrong: those after it mostly follow from it.
    pub(crate) fn case<C: Case>(&mut self, given: &C, right: &C) -> serde_json::Result<Option<String>> {
        let mut first = None;
        if right.policy_error().is_some() || given.policy_error().is_some() {
            let (given, right) = (refusal(given.policy_error())?, refusal(right.policy_error())?);
            first = self.compare("its policy", &given, &right)?;
        }
        for (index, (step, right)) in given.steps().iter().zip(right.steps()).enumerate() {
            let difference = self.step::<C>(step, right)?;
            first = first.or(difference.map(|difference| format!("step {index}, {difference}")));
        }
        let why = if given.why().is_empty() { String::new() } else { format!(" ({})", given.why()) };
        Ok(first.map(|first| format!("{:?}{why}: {first}", given.name())))
    }

    /// Compares the answer of a step.
    pub(crate) fn step<C: Case>(&mut self, given: &C::Step, right: &C::Step) -> serde_json::Result<Option<String>> {
        let question = to_line(&C::with_reply(given.clone(), Reply::none()), Integers::Numbers)?;
        self.compare(&question, &C::reply(given).members(), &C::reply(right).members())
    }

    /// Compares the members that are given, and those alone.
    fn compare(
        &mut self,
        question: &str,
        given: &Map<String, Value>,
        right: &Map<String, Value>,
    ) -> serde_json::Result<Option<String>> {
        if given.is_empty() {
            self.open += 1;
        } else if given.iter().all(|(name, value)| right.get(name) == Some(value)) {
            self.right += 1;
            self.in_part += usize::from(given.len() < right.len());
        } else {
            self.wrong += 1;
            let (given, right) = (to_line(given, Integers::Numbers)?, to_line(right, Integers::Numbers)?);
            return Ok(Some(format!("{question} is answered {given}; right is {right}")));
        }
        Ok(None)
    }

    pub(crate) fn is_right(&self) -> bool {
        self.wrong == 0
    }

    /// All in one line, if there was anything to compare.
    pub(crate) fn summary(&self) -> Result<String, String> {
        let Self { right, in_part, wrong, open } = self;
        if right + wrong == 0 {
            return Err("there is nothing to check: no answer was given".to_owned());
        }
        let in_part = if *in_part > 0 { format!(" ({in_part} in part)") } else { String::new() };
        let open = if *open > 0 { format!(", {open} not given") } else { String::new() };
        Ok(format!("{right} answers right{in_part}, {wrong} wrong{open}"))
    }
}

/// The member that says that a policy cannot be built.
fn refusal(error: Option<PolicyError>) -> serde_json::Result<Map<String, Value>> {
    let member = error.map(|error| Ok(("policy_error".to_owned(), serde_json::to_value(error)?)));
    member.into_iter().collect()
}
