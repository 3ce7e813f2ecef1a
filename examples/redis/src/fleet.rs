//! The first process: clears the keys, starts the workers, and gathers what they tell.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use tokio::runtime::Builder;

use crate::cli::Settings;
use crate::error::Error;
use crate::tally::Tally;
use crate::worker::{DONE, GO, READY};

/// How long workers may take beyond what was asked of them, before they are ended.
const PATIENCE: Duration = Duration::from_secs(30);

/// Runs the fleet: what all of it counted, and how long it took.
pub(crate) fn run(settings: &Settings, args: &[OsString]) -> Result<(Tally, Duration), Error> {
    clear(settings)?;
    let mut workers = Workers::start(settings.processes, args)?;
    for said in workers.until_each_says(READY, PATIENCE)? {
        if let Some(line) = said.first() {
            return Err(Error::Garbled(line.clone()));
        }
    }
    let begun = Instant::now();
    workers.tell_all(GO)?;
    let said = workers.until_each_says(DONE, settings.time + settings.limit + PATIENCE)?;
    let took = begun.elapsed();
    workers.wait()?;
    let mut sum = Tally::default();
    for said in said {
        let mut tally = Tally::default();
        if let Some(line) = said.into_iter().find(|line| !tally.hear(line)) {
            return Err(Error::Garbled(line));
        }
        sum.merge(tally);
    }
    Ok((sum, took))
}

/// So that the record of this run is all that its keys have admitted.
fn clear(settings: &Settings) -> Result<(), Error> {
    let keys: Vec<Vec<u8>> = (0..=settings.spread).map(|number| settings.key(number)).collect();
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let server = settings.server();
    let cleared = runtime.block_on(async {
        let connection = server.connection().await?;
        for some in keys.chunks(1_000) {
            server.delete(&connection, some).await?;
        }
        Ok(())
    });
    cleared.map_err(|trouble| settings.failed(trouble))
}

/// Processes, which end with this.
struct Workers {
    children: Vec<Child>,
    /// Each line by the number of who said it; `None` at its end.
    said: Receiver<(usize, Option<String>)>,
}

impl Workers {
    /// Starts this program again, so often, with the arguments that it has and a number.
    fn start(number: usize, args: &[OsString]) -> Result<Self, Error> {
        let program = std::env::current_exe().map_err(Error::Start)?;
        let (say, said) = mpsc::channel();
        let mut workers = Self { children: Vec::new(), said };
        for number in 0..number {
            let mut command = Command::new(&program);
            command.args(args).arg(format!("--worker={number}")).stdin(Stdio::piped()).stdout(Stdio::piped());
            let mut child = command.spawn().map_err(Error::Start)?;
            let stdout = child.stdout.take();
            workers.children.push(child);
            let say = say.clone();
            thread::spawn(move || {
                let lines = stdout.into_iter().flat_map(|stdout| BufReader::new(stdout).lines());
                for line in lines.map_while(Result::ok) {
                    if say.send((number, Some(line))).is_err() {
                        return;
                    }
                }
                // If nobody listens any more, it is over.
                let _ = say.send((number, None));
            });
        }
        Ok(workers)
    }

    /// What each says before this word.
    fn until_each_says(&mut self, word: &str, patience: Duration) -> Result<Vec<Vec<String>>, Error> {
        let end = Instant::now() + patience;
        let mut said = vec![Vec::new(); self.children.len()];
        let mut has_said = vec![false; said.len()];
        while has_said.contains(&false) {
            match self.said.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok((number, Some(line))) if line == word => has_said[number] = true,
                Ok((number, Some(line))) => said[number].push(line),
                Ok((number, None)) if has_said[number] => {}
                Ok((number, None)) => return Err(Error::Ended(self.children[number].wait()?)),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return Err(Error::Silent),
            }
        }
        Ok(said)
    }

    fn tell_all(&mut self, word: &str) -> Result<(), Error> {
        for child in &mut self.children {
            if let Some(stdin) = &mut child.stdin {
                writeln!(stdin, "{word}")?;
            }
        }
        Ok(())
    }

    fn wait(&mut self) -> Result<(), Error> {
        for child in &mut self.children {
            let status = child.wait()?;
            if !status.success() {
                return Err(Error::Ended(status));
            }
        }
        Ok(())
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        for child in &mut self.children {
            // One that has ended already is no longer there to be.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
