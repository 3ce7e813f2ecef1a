//! A bar on standard error while long input is read, if somebody is there to see it.

use std::io::{self, IsTerminal, Read};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Input of which so much was read is long: what is shorter is judged before a bar could be read.
const LONG: u64 = 16 << 20;

/// Input that shows how far it was read.
pub(crate) struct Watched<R> {
    input: R,
    length: Option<u64>,
    read: u64,
    started: Instant,
    shown: bool,
    bar: Option<ProgressBar>,
}

impl<R> Watched<R> {
    /// Watches input of a known or unknown length. `quiet` keeps the bar away where it would mix with other output.
    pub(crate) fn new(input: R, length: Option<u64>, quiet: bool) -> Self {
        Self { input, length, read: 0, started: Instant::now(), shown: !quiet && io::stderr().is_terminal(), bar: None }
    }

    fn bar(&self) -> ProgressBar {
        let template = match self.length {
            Some(_) => "{bar:40} {bytes} of {total_bytes}, {eta} left",
            None => "{spinner} {bytes} read, {elapsed}",
        };
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::with_draw_target(self.length, ProgressDrawTarget::stderr()).with_style(style);
        // As if it had been there from the start, or the time left would be told from the first piece.
        bar.with_position(self.read).with_elapsed(self.started.elapsed())
    }
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.read += read as u64;
        if self.shown && self.read >= LONG {
            let bar = self.bar.take().unwrap_or_else(|| self.bar());
            bar.set_position(self.read);
            if read == 0 {
                bar.finish_and_clear();
            }
            self.bar = Some(bar);
        }
        Ok(read)
    }
}

/// A run that ends before its input leaves no bar behind.
impl<R> Drop for Watched<R> {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
