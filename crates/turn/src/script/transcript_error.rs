//! Error of reading a transcript.

use std::io;

use sayso_activity::ParseError;

/// Error of reading a transcript. It never contains text of the dialogue.
///
/// # Example
/// ```
/// use sayso_turn::script::Transcript;
///
/// let error = Transcript::load("order.txt").unwrap_err();
/// assert_eq!(error.to_string(), "order.txt: expected a name that ends in .chat or .transcript");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TranscriptError {
    /// The file cannot be read.
    #[error("{path}: cannot be read")]
    Read {
        /// The file.
        path: String,
        /// The error of the file system.
        #[source]
        source: io::Error,
    },
    /// The name of the file has another extension.
    #[error("{path}: expected a name that ends in .chat or .transcript")]
    Name {
        /// The file.
        path: String,
    },
    /// A line before the first speaker is not a heading.
    #[error("line {line}: expected `name: text`, or `user=name` or `bot=name` at the top")]
    Line {
        /// The line, from 1.
        line: usize,
    },
    /// An attached file cannot be read, or is not of its type.
    #[error("line {line}: the attachment {path} cannot be read: {source}")]
    Attachment {
        /// The line, from 1.
        line: usize,
        /// The file, as it is named.
        path: String,
        /// The error of the file system, or of the parser.
        source: io::Error,
    },
    /// The text is not a JSON list.
    #[error("expected a JSON list of activities: {0}")]
    Json(#[from] serde_json::Error),
    /// An element of the list is not an activity.
    #[error("activity {index}: {source}")]
    Activity {
        /// Its position in the list, from 1.
        index: usize,
        /// The error of the parser.
        source: ParseError,
    },
}
