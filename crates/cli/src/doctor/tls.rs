//! Check of the certificates of the listeners.

use std::time::SystemTime;

use sayso::config::{ConfigError, TlsFiles};

use super::finding::Finding;

/// Checks the files of a listener, and how long its certificate is valid. Returns `None` if the
/// listener speaks plain HTTP.
pub(super) fn check(files: Result<Option<TlsFiles>, ConfigError>) -> Option<Finding> {
    let files = match files {
        Ok(files) => files?,
        Err(error) => {
            return Some(Finding::failed(error.to_string(), "correct the files or the settings"));
        }
    };
    let now = SystemTime::now();
    Some(match files.check() {
        Err(error) => Finding::failed(error.to_string(), "correct the files or the settings"),
        Ok(validity) => {
            let text = format!("{files}: {}", validity.at(now));
            match (validity.is_valid(now), validity.is_short(now)) {
                (false, _) => Finding::failed(text, "replace the certificate, or set the clock"),
                (true, true) => Finding::warning(
                    text,
                    "replace both files; a bot that runs takes them up by itself",
                ),
                (true, false) => Finding::ok(text),
            }
        }
    })
}
