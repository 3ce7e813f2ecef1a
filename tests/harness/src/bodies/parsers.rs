//! Every parser and decoder of the crate, each of which takes the whole case.
//!
//! None panics, and what one has read can be written and read again as the same. One that is new is a function here and a line in [`PARSERS`].

mod identity;

use core::fmt::{Debug, Display};
use core::str::FromStr;

use tollgate::{FixedWindow, SlidingLog, TokenBucket};

use super::Body;
use super::input::Input;
use crate::subject::{Buckets, GrowingLog, Subject, Windows};

const PARSERS: [Body; 5] = [policy_text, policy_settings, identity::prefix, identity::composite_key, identity::headers];

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
    text::<FixedWindow>(&policy);
    text::<SlidingLog>(&policy);
    text::<TokenBucket>(&policy);
}

/// The case as the settings of policies, which are written and read.
fn policy_settings(case: &[u8]) {
    fn settings<S: Subject<Policy: FromStr<Err: Debug> + Display + PartialEq>>(mut input: Input<'_>) {
        goes_round(&S::policy(&input.policy(S::KIND)));
    }
    let input = Input::new(case);
    settings::<Windows>(input);
    settings::<GrowingLog>(input);
    settings::<Buckets>(input);
}
