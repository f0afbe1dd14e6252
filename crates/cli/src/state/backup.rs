//! `sayso state backup`: copies a SQLite store into a new file while the bot runs.

use std::{
    process::ExitCode,
    time::{Duration, Instant},
};

use anyhow::bail;
use sayso::stores::{
    SqliteStore,
    sqlite::{BackupProgress, BackupSummary},
};
use serde_json::json;

use super::{options::Backup, units};
use crate::terminal;

/// Intervals between two reports of progress: of the line on a terminal, and of a log.
const FRAME: Duration = Duration::from_millis(200);
const LOG_EVERY: Duration = Duration::from_secs(5);

/// Makes the copy, and says what is in it.
pub(super) async fn run(options: Backup) -> anyhow::Result<ExitCode> {
    let url = options.place.url()?;
    let (scheme, rest) = url.split_once(':').unwrap_or((&url, ""));
    if scheme != "sqlite" {
        bail!(instead(scheme));
    }
    let from = rest.strip_prefix("//").unwrap_or(rest).to_owned();
    let to = options.file.clone();
    let mut line = Line::new();
    let work = move || SqliteStore::backup(from, to, |progress| line.show(progress));
    let BackupSummary { documents, bytes, .. } = tokio::task::spawn_blocking(work).await??;
    let file = options.file.display();
    if options.json {
        let summary = json!({"file": file.to_string(), "documents": documents, "bytes": bytes});
        terminal::line(summary);
    } else {
        let documents = units::count(documents);
        terminal::line(format_args!(
            "{file}: {documents} documents, {}, checked and on disk",
            units::bytes(bytes)
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// Says what makes backups of another engine.
fn instead(scheme: &str) -> String {
    let means = match scheme.split('+').next().unwrap_or_default() {
        "postgres" | "postgresql" => {
            "pg_dump for a copy of one moment, or the server's continuous archiving"
        }
        "redis" | "rediss" | "valkey" | "valkeys" => {
            "the server's BGSAVE, and copy its file (and the append-only files) away"
        }
        "azblob" => "the account's point-in-time restore, or versioning with soft delete",
        "cosmos" => "the account's continuous backup",
        "s3" => "the bucket's versioning, or replication to another bucket",
        _ => "the means of the engine",
    };
    format!(
        "this makes copies of sqlite: stores only; for `{scheme}:` use {means}. `sayso state \
         export` works on every engine: each document is whole, but they are not of one moment"
    )
}

/// Progress on standard error: a live line on a terminal, else a line now and then.
struct Line {
    is_live: bool,
    shown: Instant,
}

impl Line {
    fn new() -> Self {
        Self { is_live: terminal::is_error_terminal(), shown: Instant::now() }
    }

    fn show(&mut self, progress: BackupProgress) {
        let BackupProgress { bytes, bytes_all, .. } = progress;
        let is_over = bytes == bytes_all;
        let every = if self.is_live { FRAME } else { LOG_EVERY };
        if !is_over && self.shown.elapsed() < every {
            return;
        }
        self.shown = Instant::now();
        let text = format!("copied {} of {}", units::bytes(bytes), units::bytes(bytes_all));
        match self.is_live {
            true if is_over => terminal::ask(&format!("\r{text}\x1b[K\n")),
            true => terminal::ask(&format!("\r{text}\x1b[K")),
            false => terminal::note(&text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_engines_are_told_what_to_use() {
        for (scheme, means) in [
            ("postgres", "pg_dump"),
            ("rediss+cluster", "BGSAVE"),
            ("azblob", "point-in-time"),
            ("cosmos", "continuous backup"),
            ("s3", "versioning"),
        ] {
            let sentence = instead(scheme);
            assert!(sentence.contains(means) && sentence.contains("export"), "{sentence}");
        }
    }
}
