//! Every parser and decoder of the crate, each of which takes the whole case.
//!
//! None panics, and what one has read can be written and read again as the same. One that is new is a function here and a line in `PARSERS`.

mod client;
mod identity;
mod wire;

use core::fmt::{Debug, Display};
use core::str::FromStr;

use super::Body;
use super::input::Input;
use crate::policy_text::read;
use crate::subject::{Buckets, GrowingLog, Subject, Windows};

const PARSERS: [Body; 8] = [
    policy_text,
    policy_settings,
    identity::prefix,
    identity::composite_key,
    identity::headers,
    wire::states,
    client::retry_after,
    client::answers,
];

/// Runs a case.
///
/// # Panics
///
/// Where a parser panics, or does not read what was written.
pub fn run(case: &[u8]) {
    for parser in PARSERS {
        parser(case);
    }
}

/// Policies that have a text form.
trait Written: Subject<Policy: FromStr<Err: Debug + Display> + Display + PartialEq> {}

impl<S: Subject<Policy: FromStr<Err: Debug + Display> + Display + PartialEq>> Written for S {}

/// Whatever is written reads as what it was written from.
fn goes_round<T: FromStr<Err: Debug> + Display + PartialEq + Debug>(value: &T) {
    let text = value.to_string();
    match text.parse::<T>() {
        Ok(read) => assert_eq!(&read, value, "written as {text:?}"),
        Err(error) => panic!("{value:?} is written as {text:?}, and not read: {error:?}"),
    }
}

fn text<T: FromStr<Err: Debug + Display> + Display + PartialEq + Debug>(text: &str) {
    match text.parse::<T>() {
        Ok(value) => goes_round(&value),
        Err(error) => assert!(!error.to_string().is_empty(), "{error:?} says nothing"),
    }
}

/// The case as the text of a policy.
fn policy_text(case: &[u8]) {
    let policy = String::from_utf8_lossy(case);
    policy_of::<Windows>(&policy);
    policy_of::<GrowingLog>(&policy);
    policy_of::<Buckets>(&policy);
}

fn policy_of<S: Written>(policy: &str) {
    text::<S::Policy>(policy);
    let expected = read(S::KIND, policy).map(|read| S::policy(&read));
    assert_eq!(policy.parse::<S::Policy>().ok(), expected, "{policy:?}");
}

/// The case as the settings of policies, which are written and read.
fn policy_settings(case: &[u8]) {
    fn settings<S: Written>(mut input: Input<'_>) {
        goes_round(&S::policy(&input.policy(S::KIND)));
    }
    let input = Input::new(case);
    settings::<Windows>(input);
    settings::<GrowingLog>(input);
    settings::<Buckets>(input);
}
