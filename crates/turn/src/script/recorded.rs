//! Place in a recording: its file and the line.

use std::{fmt, sync::Arc};

/// Place in a recording.
#[derive(Clone, Debug)]
pub(super) struct Recorded {
    /// The file, unless the recording was a text of the program.
    pub(super) file: Option<Arc<str>>,
    /// The line, from 1.
    pub(super) line: usize,
}

impl fmt::Display for Recorded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.file {
            Some(file) => write!(f, "{file}:{}", self.line),
            None => write!(f, "line {} of the transcript", self.line),
        }
    }
}

/// Places of a transcript's lines. They say where it came from, and not what it is: two
/// transcripts with the same lines are equal.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    pub(super) file: Option<Arc<str>>,
    /// The line of each line of the dialogue, from 1; none for what a format implies.
    pub(super) numbers: Vec<usize>,
}

impl Places {
    /// The place of a line of the dialogue, by its index.
    pub(super) fn of(&self, index: usize) -> Option<Recorded> {
        let line = *self.numbers.get(index)?;
        Some(Recorded { file: self.file.clone(), line })
    }
}

impl PartialEq for Places {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Places {}
