//! What is read and written: a stream of JSON values, each answered before the next is read.

use core::fmt::Display;
use std::collections::BTreeMap;
use std::io::{Read, Write};

use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::value::RawValue;
use tollgate_vectors::model::{CaseError, Keys, Layers, answered};
use tollgate_vectors::{Case, File, Integers, LayeredCase, PolicyError, Reply, SingleCase, to_layout, to_line};

use crate::verdict::Verdict;

/// What is done with the right answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// They are written.
    Answer,
    /// They are compared with those that are given.
    Check,
}

/// The members by which the forms of input are told apart.
#[derive(Deserialize)]
struct Form {
    vectors: Option<Vec<BTreeMap<String, IgnoredAny>>>,
    layers: Option<IgnoredAny>,
    policy: Option<IgnoredAny>,
    at_ns: Option<IgnoredAny>,
}

/// What single events are asked of: the store of the last case, if that had no steps.
enum Open {
    Nothing,
    /// The policy of that case is none.
    Refused(PolicyError),
    Single(Keys),
    Layered(Layers),
}

/// One run of the program.
pub(crate) struct Session<W> {
    out: Output<W>,
    open: Open,
    /// How many events there were since the last case.
    events: usize,
}

/// What becomes of the right answers.
struct Output<W> {
    task: Task,
    integers: Integers,
    to: W,
    verdict: Verdict,
}

impl<W: Write> Session<W> {
    pub(crate) fn new(task: Task, integers: Integers, to: W) -> Self {
        let out = Output { task, integers, to, verdict: Verdict::default() };
        Self { out, open: Open::Nothing, events: 0 }
    }

    /// Answers value by value, to the end.
    pub(crate) fn read(&mut self, input: impl Read) -> Result<(), String> {
        let values = serde_json::Deserializer::from_reader(input).into_iter::<Box<RawValue>>();
        for (index, value) in values.enumerate() {
            let at = |error: &dyn Display| format!("value {} of the input: {error}", index + 1);
            let value = value.map_err(|error| at(&error))?;
            self.take(value.get()).map_err(|error| at(&error))?;
        }
        Ok(())
    }

    /// Whether all was right.
    pub(crate) fn finish(mut self) -> Result<bool, String> {
        if self.out.task == Task::Check {
            let summary = self.out.verdict.summary()?;
            self.out.line(&summary)?;
        }
        Ok(self.out.verdict.is_right())
    }

    fn take(&mut self, text: &str) -> Result<(), String> {
        const FORMS: &str = "neither a file (`vectors`) nor a case (`policy` or `layers`) nor an event (`at_ns`)";
        if !text.trim_start().starts_with('{') {
            return Err(format!("{FORMS}: each of them is an object"));
        }
        match parse(text)? {
            Form { vectors: Some(cases), .. } if cases.iter().any(|case| case.contains_key("layers")) => {
                self.out.file::<LayeredCase>(parse(text)?)
            }
            Form { vectors: Some(_), .. } => self.out.file::<SingleCase>(parse(text)?),
            Form { at_ns: Some(_), .. } => self.event(text),
            Form { layers: Some(_), .. } => {
                let case: LayeredCase = parse(text)?;
                self.reopen(&case, Open::Layered);
                self.out.case(case)
            }
            Form { policy: Some(_), .. } => {
                let case: SingleCase = parse(text)?;
                self.reopen(&case, Open::Single);
                self.out.case(case)
            }
            _ => Err(FORMS.to_owned()),
        }
    }

    /// A case without steps is there for the events that follow.
    fn reopen<C: Case>(&mut self, case: &C, open: fn(C::Store) -> Open) {
        self.events = 0;
        self.open = match case.open() {
            Ok(store) if case.steps().is_empty() => open(store),
            Err(CaseError::Policy(error)) => Open::Refused(error),
            _ => Open::Nothing,
        };
    }

    fn event(&mut self, text: &str) -> Result<(), String> {
        match &mut self.open {
            Open::Nothing => return Err("an event needs a case without steps before it".to_owned()),
            Open::Refused(error) => {
                return Err(format!("no event can be asked of the case before it: {}", CaseError::Policy(*error)));
            }
            Open::Single(keys) => self.out.event::<SingleCase>(keys, parse(text)?, self.events)?,
            Open::Layered(layers) => self.out.event::<LayeredCase>(layers, parse(text)?, self.events)?,
        }
        self.events += 1;
        Ok(())
    }
}

impl<W: Write> Output<W> {
    fn file<C: Case>(&mut self, file: File<C>) -> Result<(), String> {
        let right: Vec<C> = file.vectors.iter().cloned().map(answered).collect::<Result<_, _>>().map_err(message)?;
        match self.task {
            Task::Answer => {
                let text = to_layout(&File { vectors: right, ..file }, self.integers).map_err(message)?;
                self.write(&text)
            }
            Task::Check => file.vectors.iter().zip(&right).try_for_each(|(given, right)| self.compare(given, right)),
        }
    }

    fn case<C: Case>(&mut self, given: C) -> Result<(), String> {
        let right = answered(given.clone()).map_err(message)?;
        match self.task {
            Task::Answer => self.line(&to_line(&right, self.integers).map_err(message)?),
            Task::Check => self.compare(&given, &right),
        }
    }

    fn compare<C: Case>(&mut self, given: &C, right: &C) -> Result<(), String> {
        let difference = self.verdict.case(given, right).map_err(message)?;
        difference.map_or(Ok(()), |difference| self.line(&difference))
    }

    fn event<C: Case>(&mut self, store: &mut C::Store, given: C::Step, index: usize) -> Result<(), String> {
        let right = C::with_reply(given.clone(), Reply::Right(C::ask(store, &given).map_err(message)?));
        match self.task {
            Task::Answer => self.line(&to_line(&right, self.integers).map_err(message)?),
            Task::Check => {
                let difference = self.verdict.step::<C>(&given, &right).map_err(message)?;
                difference.map_or(Ok(()), |difference| self.line(&format!("event {index}, {difference}")))
            }
        }
    }

    fn line(&mut self, text: &str) -> Result<(), String> {
        self.write(&format!("{text}\n"))
    }

    /// The asker may be waiting for this answer before it asks on.
    fn write(&mut self, text: &str) -> Result<(), String> {
        let written = self.to.write_all(text.as_bytes()).and_then(|()| self.to.flush());
        written.map_err(|error| format!("cannot write the answer: {error}"))
    }
}

fn parse<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_str(text).map_err(message)
}

fn message(error: impl Display) -> String {
    error.to_string()
}
