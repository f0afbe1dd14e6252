//! Captures everything that is logged by the test's thread, at every level.

use std::{
    io::{self, Write},
    sync::{Arc, Mutex},
};

use tracing::subscriber::DefaultGuard;
use tracing_subscriber::fmt::MakeWriter;

/// The captured log. Cloning shares it.
#[derive(Clone, Default)]
pub(crate) struct LogCapture(Arc<Mutex<Vec<u8>>>);

impl LogCapture {
    /// Captures what this thread logs until the guard is dropped.
    pub(crate) fn start() -> (Self, DefaultGuard) {
        let capture = Self::default();
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing::Level::TRACE)
            .with_writer(capture.clone())
            .finish();
        (capture, tracing::subscriber::set_default(subscriber))
    }

    /// Captures what libraries log through `log`, too. Can be called once per process.
    pub(crate) fn include_log(&self) {
        log::set_boxed_logger(Box::new(self.clone())).unwrap();
        log::set_max_level(log::LevelFilter::Trace);
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for LogCapture {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for LogCapture {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

impl log::Log for LogCapture {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        let line = format!("{} {}\n", record.target(), record.args());
        self.0.lock().unwrap().extend_from_slice(line.as_bytes());
    }

    fn flush(&self) {}
}
