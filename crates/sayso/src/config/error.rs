//! Errors of a configuration.

use std::{fmt, io, path::PathBuf};

/// Error of a configuration: the place, the reason, and the remedy. It never repeats a value.
///
/// `Debug` shows the sentence too, because that is what a `main` that returns an error prints.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// A file that was named cannot be read.
    #[error("cannot read {}: {reason}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        reason: io::Error,
    },
    /// A setting makes no sense, is none, or needs another one.
    #[error("{place}: {reason}")]
    Setting {
        /// A line of a file, a variable, a flag or a setting.
        place: String,
        /// The reason, and the remedy.
        reason: String,
    },
}

impl fmt::Debug for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
