//! The vectors of `tests/vectors`, through the oracle and through every state and store of the crate.
//!
//! What they say and how to read them is in `tests/vectors/README.md`; what they are run through is in `tests/vectors/runner`.

#[path = "vectors/runner/clocks.rs"]
mod clocks;
#[path = "vectors/runner/layered.rs"]
mod layered;
#[path = "vectors/runner/single.rs"]
mod single;

use std::collections::HashSet;

use tollgate_vectors::model::answered;
use tollgate_vectors::{
    Answered, Case, File, Integers, LAYERS, LayeredCase, POLICIES, Reply, SingleCase, to_layout, to_line,
};

/// What was answered wrongly.
#[derive(Debug, Default)]
pub(crate) struct Wrong(Vec<String>);

impl Wrong {
    /// Compares an answer with that of a case.
    pub(crate) fn compare<C: Case>(&mut self, case: &C, index: usize, through: &str, answer: &C::Answer) -> bool {
        let step = &case.steps()[index];
        let (answer, expected) = (answer.members(), C::reply(step).members());
        let is_right = answer == expected;
        if !is_right {
            let line = |members| to_line(&members, Integers::Numbers).unwrap();
            let question = to_line(&C::with_reply(step.clone(), Reply::none()), Integers::Numbers).unwrap();
            let (answer, expected) = (line(answer), line(expected));
            self.add(case, format!("step {index}, {question}: {through} answers {answer}, not {expected}"));
        }
        is_right
    }

    /// Anything else that is wrong with a case.
    pub(crate) fn add<C: Case>(&mut self, case: &C, what: String) {
        self.0.push(format!("{:?} ({}): {what}", case.name(), case.why()));
    }

    fn assert_none(&self) {
        assert!(self.0.is_empty(), "{} wrong:\n{}", self.0.len(), self.0.join("\n"));
    }
}

fn policies() -> File<SingleCase> {
    serde_json::from_str(POLICIES).unwrap()
}

fn layers() -> File<LayeredCase> {
    serde_json::from_str(LAYERS).unwrap()
}

fn through_the_oracle<C: Case>(cases: &[C], wrong: &mut Wrong) {
    for case in cases {
        let mut store = match case.open() {
            Ok(store) => store,
            Err(_) if case.steps().is_empty() => continue,
            Err(error) => panic!("{:?}: {error}", case.name()),
        };
        for (index, step) in case.steps().iter().enumerate() {
            let answer = C::ask(&mut store, step).unwrap_or_else(|error| panic!("{:?}: {error}", case.name()));
            wrong.compare(case, index, "the oracle", &answer);
        }
    }
}

#[test]
fn the_oracle_answers_as_the_vectors_say() {
    let mut wrong = Wrong::default();
    through_the_oracle(&policies().vectors, &mut wrong);
    through_the_oracle(&layers().vectors, &mut wrong);
    wrong.assert_none();
}

#[test]
fn every_state_and_store_answers_as_the_vectors_say() {
    let mut wrong = Wrong::default();
    for case in policies().vectors.iter().filter(|case| case.policy_error.is_none()) {
        assert!(single::run(case, &mut wrong) > 0, "{:?} was run through nothing", case.name());
    }
    wrong.assert_none();
}

#[test]
fn policies_that_cannot_be_are_refused_for_the_reason_that_the_vectors_give() {
    let mut wrong = Wrong::default();
    for case in &policies().vectors {
        let by_the_oracle = case.policy.build().err();
        let by_the_crate = single::refusal(&case.policy);
        if by_the_oracle != case.policy_error || by_the_crate != case.policy_error {
            let expected = case.policy_error;
            wrong.add(case, format!("refused for {by_the_oracle:?} and {by_the_crate:?}, not for {expected:?}"));
        }
    }
    wrong.assert_none();
}

#[test]
fn layers_answer_as_the_vectors_say() {
    let mut wrong = Wrong::default();
    for case in &layers().vectors {
        layered::run(case, &mut wrong);
    }
    wrong.assert_none();
}

/// So that a program that writes what it has read, and right answers, writes the file as it is.
#[test]
fn the_files_are_laid_out_as_they_are_written() {
    fn assert_laid_out<C: Case>(file: File<C>, text: &str) {
        let vectors = file.vectors.into_iter().map(|case| answered(case).unwrap()).collect();
        let written = to_layout(&File { vectors, ..file }, Integers::Numbers).unwrap();
        let differs = written.lines().zip(text.lines()).position(|(written, line)| written != line);
        assert!(written == text, "the first line that differs, counted from 0, is {differs:?}");
    }
    assert_laid_out(policies(), POLICIES);
    assert_laid_out(layers(), LAYERS);
}

#[test]
fn every_vector_has_a_name_of_its_own_and_a_reason() {
    fn assert_named<C: Case>(cases: &[C]) {
        let mut names = HashSet::new();
        for case in cases {
            assert!(!case.why().is_empty(), "{:?} does not say why", case.name());
            assert!(!case.name().is_empty() && names.insert(case.name()), "{:?} is not the only one", case.name());
        }
    }
    let (policies, layers) = (policies(), layers());
    assert_named(&policies.vectors);
    assert_named(&layers.vectors);
    assert!(policies.vectors.len() >= 150, "only {}", policies.vectors.len());
}

/// Readers whose numbers are floats may put quotes around long numbers before they parse: README.md says how.
#[test]
fn no_string_has_a_long_number_in_it() {
    for text in [POLICIES, LAYERS] {
        for line in text.lines() {
            for (index, part) in line.split('"').enumerate() {
                let longest = part.split(|c: char| !c.is_ascii_digit()).map(str::len).max().unwrap_or(0);
                assert!(index % 2 == 0 || longest < 16, "{line}");
            }
        }
    }
}
