//! The log, on standard error, by a writer that makes no request wait: whoever reads the log may be slow, stalled or gone.
//!
//! Lines are handed to a thread that writes them, in the order in which they came. What it has not come round to is bounded; beyond that,
//! lines are dropped, and their number stands where they would have stood.

use std::io::{self, Write};
use std::mem;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::counters::lock;

/// How many bytes may wait for a reader: some thousands of lines.
const ROOM: usize = 1024 * 1024;

/// How long the end of the program waits for a reader.
const GRACE: Duration = Duration::from_secs(1);

/// The log is on while this is there. Its end waits until all lines are written, or for a second.
#[must_use]
pub(crate) struct Log(Arc<Pending>);

impl Log {
    /// Makes standard error the log of this process, once.
    ///
    /// # Errors
    ///
    /// Where the system gives no thread.
    pub(crate) fn start() -> io::Result<Self> {
        let pending = Arc::new(Pending::default());
        let writer = Arc::clone(&pending);
        thread::Builder::new().name("log".to_owned()).spawn(move || writer.write_to(io::stderr()))?;
        // Errors of its own would be told by `eprintln!`, which panics where standard error is gone.
        let lines = tracing_subscriber::fmt().with_ansi(false).log_internal_errors(false);
        lines.with_writer(Arc::clone(&pending)).init();
        Ok(Self(pending))
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        self.0.wait_until_written(GRACE);
    }
}

/// What is still to be written.
#[derive(Debug, Default)]
struct Pending {
    text: Mutex<Text>,
    /// Told when there is something, and when there is nothing any more.
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Text {
    lines: Vec<u8>,
    /// Lines that came after those, for which there was no room.
    dropped: u64,
    /// Some that were here are on their way.
    writing: bool,
}

impl Text {
    fn is_written(&self) -> bool {
        self.lines.is_empty() && self.dropped == 0 && !self.writing
    }

    fn add(&mut self, line: &[u8]) {
        // What is bounded is what others may fill; a line on its own has a bounded length.
        if self.lines.len().saturating_add(line.len()) > ROOM {
            self.dropped = self.dropped.saturating_add(1);
        } else {
            self.tell_dropped();
            self.lines.extend_from_slice(line);
        }
    }

    fn tell_dropped(&mut self) {
        let dropped = mem::take(&mut self.dropped);
        if dropped > 0 {
            let told =
                format!("WARN gateway::log: {dropped} lines were dropped here: they came faster than they were read\n");
            self.lines.extend_from_slice(told.as_bytes());
        }
    }

    fn take(&mut self) -> Vec<u8> {
        self.tell_dropped();
        self.writing = !self.lines.is_empty();
        mem::take(&mut self.lines)
    }
}

impl Pending {
    /// Writes whatever comes, for as long as the process is there.
    fn write_to(&self, mut out: impl Write) {
        loop {
            let lines = {
                let text = lock(&self.text);
                let idle = self.changed.wait_while(text, |text| text.lines.is_empty() && text.dropped == 0);
                idle.unwrap_or_else(PoisonError::into_inner).take()
            };
            // Where the reader is gone there is nobody to tell, and requests are answered all the same.
            let _ = out.write_all(&lines);
            lock(&self.text).writing = false;
            self.changed.notify_all();
        }
    }

    fn wait_until_written(&self, patience: Duration) {
        let text = lock(&self.text);
        drop(self.changed.wait_timeout_while(text, patience, |text| !text.is_written()));
    }
}

/// A line at a time, as `tracing-subscriber` gives them. Neither fails nor waits for a reader.
impl Write for &Pending {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        lock(&self.text).add(line);
        self.changed.notify_all();
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_finds_no_room_is_counted_and_told_where_it_would_have_stood() {
        let mut text = Text::default();
        let line = [&[b'a'; ROOM / 2 - 1][..], b"\n"].concat();
        (0..5).for_each(|_| text.add(&line));
        assert_eq!((text.lines.len(), text.dropped), (ROOM, 3));
        let first = text.take();
        let told = "WARN gateway::log: 3 lines were dropped here: they came faster than they were read\n";
        assert_eq!(first, [&line[..], &line, told.as_bytes()].concat());
        text.add(b"next\n");
        assert_eq!(text.take(), b"next\n");
    }

    /// Keeps what is written to it.
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            lock(&self.0).write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_are_written_in_order_and_an_end_waits_for_them() {
        let (pending, kept) = (Arc::new(Pending::default()), Arc::new(Mutex::default()));
        let lines: Vec<_> = (0..1_000).map(|n| format!("{n}\n")).collect();
        for line in &lines {
            (&*pending).write_all(line.as_bytes()).unwrap();
        }
        let (writer, out) = (Arc::clone(&pending), Kept(Arc::clone(&kept)));
        thread::spawn(move || writer.write_to(out));
        pending.wait_until_written(Duration::MAX);
        assert_eq!(*lock(&kept), lines.concat().into_bytes());
    }

    #[test]
    fn an_end_does_not_wait_for_ever() {
        let pending = Pending::default();
        (&pending).write_all(b"nobody writes this\n").unwrap();
        pending.wait_until_written(Duration::ZERO);
        assert_eq!(lock(&pending.text).lines, b"nobody writes this\n");
    }
}
