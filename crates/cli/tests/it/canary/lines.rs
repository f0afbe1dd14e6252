//! Capture of the log of this process: every level, every library, and panics.

use std::{
    io::{self, Write},
    sync::{Arc, Mutex},
};

use tracing_subscriber::fmt::MakeWriter;

#[derive(Clone, Default)]
pub(super) struct Lines(Arc<Mutex<Vec<u8>>>);

impl Lines {
    /// Captures everything from now on, on every thread.
    pub(super) fn listen() -> Self {
        let lines = Self::default();
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing::Level::TRACE)
            .with_ansi(false)
            .with_writer(lines.clone())
            .finish();
        tracing::subscriber::set_global_default(subscriber).unwrap();
        log::set_boxed_logger(Box::new(lines.clone())).unwrap();
        log::set_max_level(log::LevelFilter::Trace);
        let (panics, usual) = (lines.clone(), std::panic::take_hook());
        std::panic::set_hook(Box::new(move |panic| {
            panics.add(&format!("PANIC {panic}\n"));
            usual(panic);
        }));
        lines
    }

    pub(super) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }

    fn add(&self, line: &str) {
        self.0.lock().unwrap().extend_from_slice(line.as_bytes());
    }
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

/// Some libraries speak through `log`.
impl log::Log for Lines {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        self.add(&format!("{} {} {}\n", record.level(), record.target(), record.args()));
    }

    fn flush(&self) {}
}
