//! Why a configuration cannot be used.

use std::{fmt, io, path::PathBuf};

/// Why a configuration cannot be used: where, what is wrong, and what to do. It never repeats a
/// value.
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
        /// What the system said.
        reason: io::Error,
    },
    /// A setting makes no sense, is none, or needs another one.
    #[error("{place}: {reason}")]
    Setting {
        /// A line of a file, a variable, a flag or a setting.
        place: String,
        /// What is wrong, and what to do.
        reason: String,
    },
}

impl fmt::Debug for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
