//! One run: the input is opened, its requests are judged in order, and the report is written.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, IsTerminal, Read, Write};

use same_file::Handle;
use tollgate::{Monotonic, Timestamp};

use crate::cli::{Destination, Order, Settings, Source};
use crate::decisions;
use crate::document::{Document, name_of, refuse_input};
use crate::error::Error;
use crate::input::{Request, Requests};
use crate::judge::{Judge, KeyId, Verdict};
use crate::overview::Overview;
use crate::page::Page;
use crate::plots;
use crate::progress::Watched;
use crate::report::{Report, key_shown};
use crate::suggest::suggest;
use crate::tally::Tally;
use crate::timeline::{Bins, resolution};
use crate::trace::Trace;
use crate::traffic::{ByKey, Keys, MOST_HELD, Traffic};

const SAMPLE: &[u8] = include_bytes!("../data/sample.log");

/// Runs the program with these settings.
///
/// # Errors
///
/// What cannot be read or written, and an input that holds no request.
pub(crate) fn run(settings: &Settings) -> Result<(), Error> {
    let Input { name, bytes, length, file } = Input::open(&settings.source)?;
    let mixed = settings.takes_stdout() && io::stdout().is_terminal();
    let bytes = BufReader::with_capacity(1 << 16, Watched::new(bytes, length, mixed));
    let mut requests = Requests::new(bytes, &name, settings.format, settings.key.as_deref())?;
    let input = file.as_ref();
    let open = |option, to: &Option<Destination>| to.as_ref().map(|to| Document::open(option, to, input)).transpose();
    let (plot, html) = (open("--plot", &settings.plot)?, open("--html", &settings.html)?);
    // Not before the header was understood: an earlier run's decisions are lost here.
    let decisions = settings.decisions.as_ref().map(|to| Decisions::open(to, input)).transpose()?;

    let mut run = Run {
        keys: Keys::default(),
        judge: Judge::new(&settings.policies, settings.compose),
        tally: Tally::new(settings.compose, settings.policies.len()),
        overview: None,
        verdicts: Vec::new(),
        decisions,
    };
    let held = match settings.order {
        Order::AsItComes { tolerance } if !settings.looks_back() => {
            run.as_it_comes(&mut requests, tolerance.map(Monotonic::new))?;
            None
        }
        order => {
            let most = if settings.looks_back() { MOST_HELD } else { usize::MAX };
            let traffic = Traffic::read(&mut requests, &mut run.keys, order, most)?;
            run.held(settings, &traffic)?;
            Some(traffic)
        }
    };
    if run.tally.requests == 0 {
        return Err(requests.nothing());
    }
    let held = held.filter(|_| settings.looks_back()).map(Traffic::by_key);
    let trace = match &held {
        Some(held) if plot.is_some() || html.is_some() => Some(run.trace(settings, held)?),
        _ => None,
    };
    let suggestions = settings.suggest.zip(held.as_ref()).map(|(share, held)| {
        let found = settings.policies.iter().map(|policy| suggest(policy, held, run.tally.requests, share));
        (share, found.collect())
    });
    let skipped = requests.skipped();
    let report = Report {
        settings,
        name: &name,
        format: requests.format(),
        skipped,
        keys: &run.keys,
        tally: &run.tally,
        suggestions,
    };
    if let (Some(plot), Some(trace)) = (plot, &trace) {
        let key = key_shown(run.keys.name(trace.key));
        plot.write(&plots::of_key(trace, &key, plots::WIDE).document()?)?;
    }
    if let (Some(html), Some(trace), Some(overview)) = (html, &trace, &run.overview) {
        html.write(&Page { report: &report, overview, trace }.html()?)?;
    }
    if let Some(decisions) = run.decisions {
        decisions.close()?;
    }
    if skipped.count() > 0 {
        // If standard error is gone, the report still has the count.
        let _ = write!(io::stderr(), "replay: {name}: lines that could not be parsed: {}\n{skipped}", skipped.count());
    }
    if settings.takes_stdout() {
        put(&mut io::stderr().lock(), &report, "standard error")
    } else {
        put(&mut io::stdout().lock(), &report, "standard output")
    }
}

fn put(out: &mut dyn Write, report: &Report<'_>, name: &str) -> Result<(), Error> {
    write!(out, "{report}").and_then(|()| out.flush()).map_err(Error::writing(name))
}

/// Everything that grows or changes while requests are judged.
struct Run {
    keys: Keys,
    judge: Judge,
    tally: Tally,
    /// Counted where there is a page.
    overview: Option<Overview>,
    verdicts: Vec<Verdict>,
    decisions: Option<Decisions>,
}

impl Run {
    fn held(&mut self, settings: &Settings, traffic: &Traffic) -> Result<(), Error> {
        let times = || traffic.all().iter().map(|held| held.request.at_ns);
        if let (Some(first), Some(last), true) = (times().min(), times().max(), settings.html.is_some()) {
            let bins = Bins::covering(first, last, resolution(times()), plots::MOST_BINS);
            self.overview = Some(Overview::new(settings.compose, settings.policies.len(), bins));
        }
        traffic.all().iter().try_for_each(|held| self.judge(&held.request, held.key, held.now))
    }

    fn as_it_comes(
        &mut self,
        requests: &mut Requests<impl io::BufRead>,
        mut clock: Option<Monotonic>,
    ) -> Result<(), Error> {
        while let Some(request) = requests.next()? {
            let key = self.keys.number(requests.key());
            let at = Timestamp::from_nanos(request.at_ns);
            let now = clock.as_mut().map_or(at, |clock| clock.advance(at));
            self.judge(&request, key, now)?;
        }
        Ok(())
    }

    fn judge(&mut self, request: &Request, key: KeyId, now: Timestamp) -> Result<(), Error> {
        self.judge.judge(key, request.cost, now, &mut self.verdicts);
        self.tally.add(request, key, &self.verdicts);
        if let Some(overview) = &mut self.overview {
            overview.add(request.at_ns, &self.verdicts);
        }
        if let Some(decisions) = &mut self.decisions {
            for &verdict in &self.verdicts {
                decisions.write(request, self.keys.name(key), verdict)?;
            }
        }
        Ok(())
    }

    /// The traffic of the key that was asked for, or that tells most.
    fn trace(&self, settings: &Settings, held: &ByKey) -> Result<Trace, Error> {
        let telling = self.tally.most_telling();
        let key = match &settings.plot_key {
            None => telling,
            Some(key) => self.keys.0.get_index_of(key.as_str()).ok_or_else(|| Error::NoSuchKey {
                key: key_shown(key),
                keys: self.tally.keys(),
                example: key_shown(self.keys.name(telling)),
            })?,
        };
        let end = self.tally.span.map_or(0, |(_, last)| last);
        Ok(Trace::new(&settings.policies, settings.compose, held.of(key), end, plots::MOST_BINS))
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
                if is_fed() {
                    let advice =
                        "standard input is not read, but the bundled sample; name a FILE, or `-` for standard input";
                    command_line::complain("replay", &advice);
                }
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

/// Whether somebody hands a log to standard input.
fn is_fed() -> bool {
    let kind = Handle::stdin().and_then(|stdin| stdin.as_file().metadata());
    kind.is_ok_and(|kind| {
        #[cfg(unix)]
        let is_pipe = std::os::unix::fs::FileTypeExt::is_fifo(&kind.file_type());
        #[cfg(not(unix))]
        let is_pipe = false;
        is_pipe || kind.is_file()
    })
}

/// Where decisions go.
struct Decisions {
    name: String,
    out: BufWriter<Box<dyn Write>>,
}

impl Decisions {
    /// Opens the destination, unless it is the file that is read.
    fn open(destination: &Destination, input: Option<&Handle>) -> Result<Self, Error> {
        let (name, out): (String, Box<dyn Write>) = match destination {
            Destination::Stdout => ("standard output".to_owned(), Box::new(io::stdout())),
            Destination::File(path) => {
                let name = name_of(path);
                refuse_input("--decisions", path, input)?;
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
