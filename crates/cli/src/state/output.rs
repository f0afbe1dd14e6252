//! Buffered standard output, for large results; it reports write errors.

use std::{
    fmt,
    io::{self, BufWriter, Stdout, Write as _},
};

use serde::Serialize;

use crate::terminal;

/// Writes lines; on a terminal each is flushed at once.
#[derive(Debug)]
pub(super) struct Output {
    out: BufWriter<Stdout>,
    is_live: bool,
}

impl Output {
    pub(super) fn new() -> Self {
        Self { out: BufWriter::new(io::stdout()), is_live: terminal::is_terminal() }
    }

    pub(super) fn line(&mut self, text: impl fmt::Display) -> io::Result<()> {
        writeln!(self.out, "{text}")?;
        if self.is_live { self.out.flush() } else { Ok(()) }
    }

    pub(super) fn json(&mut self, value: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.out, value)?;
        self.line("")
    }

    /// Flushes the buffer.
    pub(super) fn end(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
