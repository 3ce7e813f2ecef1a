//! One run: the input is opened, its requests are judged in order, and the report is written.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, IsTerminal, Read, Write};
use std::path::Path;

use indexmap::IndexSet;
use same_file::Handle;
use tollgate::{Monotonic, Timestamp};

use crate::cli::{Destination, Order, Settings, Source};
use crate::decisions;
use crate::error::Error;
use crate::input::{Request, Requests};
use crate::judge::{Judge, KeyId, Verdict};
use crate::progress::Watched;
use crate::report;
use crate::tally::Tally;
use crate::text::shown;

const SAMPLE: &[u8] = include_bytes!("../data/sample.log");

/// Runs the program with these settings.
///
/// # Errors
///
/// What cannot be read or written, and an input that holds no request.
pub(crate) fn run(settings: &Settings) -> Result<(), Error> {
    let Input { name, bytes, length, file } = Input::open(&settings.source)?;
    let mixed = matches!(settings.decisions, Some(Destination::Stdout)) && io::stdout().is_terminal();
    let bytes = BufReader::with_capacity(1 << 16, Watched::new(bytes, length, mixed));
    let mut requests = Requests::new(bytes, &name, settings.format, settings.key.as_deref())?;
    // Not before the header was understood: an earlier run's decisions are lost here.
    let decisions = settings.decisions.as_ref().map(|destination| Decisions::open(destination, file)).transpose()?;

    let mut run = Run {
        keys: IndexSet::new(),
        judge: Judge::new(&settings.policies, settings.compose),
        tally: Tally::new(settings.compose, settings.policies.len()),
        verdicts: Vec::new(),
        decisions,
    };
    match settings.order {
        Order::ByTime => run.by_time(&mut requests)?,
        Order::AsItComes { tolerance } => run.as_it_comes(&mut requests, tolerance.map(Monotonic::new))?,
    }
    if run.tally.requests == 0 {
        return Err(requests.nothing());
    }
    if let Some(decisions) = run.decisions {
        decisions.close()?;
    }
    let skipped = requests.skipped();
    if skipped.count() > 0 {
        // If standard error is gone, the report still has the count.
        let _ = write!(io::stderr(), "replay: {name}: lines that could not be parsed: {}\n{skipped}", skipped.count());
    }
    let report = report::Report {
        settings,
        name: &name,
        format: requests.format(),
        skipped,
        keys: &run.keys,
        tally: &run.tally,
    };
    match settings.decisions {
        Some(Destination::Stdout) => put(&mut io::stderr().lock(), &report, "standard error"),
        _ => put(&mut io::stdout().lock(), &report, "standard output"),
    }
}

fn put(out: &mut dyn Write, report: &report::Report<'_>, name: &str) -> Result<(), Error> {
    write!(out, "{report}").and_then(|()| out.flush()).map_err(Error::writing(name))
}

/// Everything that grows or changes while requests are judged.
struct Run {
    /// Each key once; its number is its place.
    keys: IndexSet<Box<str>>,
    judge: Judge,
    tally: Tally,
    verdicts: Vec<Verdict>,
    decisions: Option<Decisions>,
}

impl Run {
    fn by_time(&mut self, requests: &mut Requests<impl io::BufRead>) -> Result<(), Error> {
        let mut all = Vec::new();
        while let Some(request) = requests.next()? {
            all.push((request, self.number(requests.key())));
        }
        // Lines ascend, so this is the stable order by time, in place.
        all.sort_unstable_by_key(|(request, _)| (request.at_ns, request.line));
        for (request, key) in all {
            self.judge(&request, key, Timestamp::from_nanos(request.at_ns))?;
        }
        Ok(())
    }

    fn as_it_comes(
        &mut self,
        requests: &mut Requests<impl io::BufRead>,
        mut clock: Option<Monotonic>,
    ) -> Result<(), Error> {
        while let Some(request) = requests.next()? {
            let key = self.number(requests.key());
            let at = Timestamp::from_nanos(request.at_ns);
            let now = clock.as_mut().map_or(at, |clock| clock.advance(at));
            self.judge(&request, key, now)?;
        }
        Ok(())
    }

    fn number(&mut self, key: &str) -> KeyId {
        self.keys.get_index_of(key).unwrap_or_else(|| self.keys.insert_full(key.into()).0)
    }

    fn judge(&mut self, request: &Request, key: KeyId, now: Timestamp) -> Result<(), Error> {
        self.judge.judge(key, request.cost, now, &mut self.verdicts);
        self.tally.add(request, key, &self.verdicts);
        if let Some(decisions) = &mut self.decisions {
            let key = self.keys.get_index(key).map(AsRef::as_ref).unwrap_or_default();
            for &verdict in &self.verdicts {
                decisions.write(request, key, verdict)?;
            }
        }
        Ok(())
    }
}

/// What is read.
struct Input {
    name: String,
    bytes: Box<dyn Read>,
    length: Option<u64>,
    /// What file it is, if it is one: it may not be written over.
    file: Option<Handle>,
}

impl Input {
    fn open(source: &Source) -> Result<Self, Error> {
        match source {
            Source::Sample => {
                Ok(Self { name: "the bundled sample".to_owned(), bytes: Box::new(SAMPLE), length: None, file: None })
            }
            Source::Stdin => Ok(Self {
                name: "standard input".to_owned(),
                bytes: Box::new(io::stdin()),
                length: None,
                file: Handle::stdin().ok(),
            }),
            Source::File(path) => {
                let name = name_of(path);
                let file = File::open(path).map_err(Error::reading(&name))?;
                let metadata = file.metadata().map_err(Error::reading(&name))?;
                let handle = file.try_clone().and_then(Handle::from_file).ok();
                let length = metadata.is_file().then_some(metadata.len());
                Ok(Self { name, bytes: Box::new(file), length, file: handle })
            }
        }
    }
}

fn name_of(path: &Path) -> String {
    shown(&path.to_string_lossy(), 200)
}

/// Where decisions go.
struct Decisions {
    name: String,
    out: BufWriter<Box<dyn Write>>,
}

impl Decisions {
    /// Opens the destination, unless it is the file that is read.
    fn open(destination: &Destination, input: Option<Handle>) -> Result<Self, Error> {
        let (name, out): (String, Box<dyn Write>) = match destination {
            Destination::Stdout => ("standard output".to_owned(), Box::new(io::stdout())),
            Destination::File(path) => {
                let name = name_of(path);
                // Only a file that is there can be the input; a pipe would wait to be opened twice.
                if path.is_file() && input.is_some() && Handle::from_path(path).ok() == input {
                    return Err(Error::Overwrite { name });
                }
                let file = File::create(path).map_err(Error::writing(&name))?;
                (name, Box::new(file))
            }
        };
        Ok(Self { name, out: BufWriter::with_capacity(1 << 16, out) })
    }

    fn write(&mut self, request: &Request, key: &str, verdict: Verdict) -> Result<(), Error> {
        decisions::write(&mut self.out, request, key, verdict).map_err(Error::writing(&self.name))
    }

    fn close(mut self) -> Result<(), Error> {
        self.out.flush().map_err(Error::writing(&self.name))
    }
}
