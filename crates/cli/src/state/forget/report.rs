//! Report of an erasure: what was removed, what was left and why, and what the engine may keep.

use sayso::turn::store::Purged;
use serde::Serialize;

use super::relation::Kind;
use crate::{
    state::{facts::Facts, found::Found, options::Forget, units},
    terminal::{Look, Paint},
};

/// Source of the documents to look at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Lookup {
    /// The engine's index of participants.
    #[default]
    Index,
    /// Every document of the channel was read.
    Scan,
}

/// Document that was removed, or would be in a dry run.
#[derive(Debug, Serialize)]
pub(super) struct Removed {
    key: String,
    kind: Kind,
    #[serde(skip)]
    line: String,
}

/// Result: the documents removed, and those left alone.
#[derive(Debug, Default, Serialize)]
pub(super) struct Report {
    pub(super) dry_run: bool,
    /// True if nothing is left of the user in the store, as far as it is told below.
    pub(super) complete: bool,
    /// Source of the documents to look at.
    pub(super) lookup: Lookup,
    /// Number of documents that were read, in all rounds.
    pub(super) read: usize,
    pub(super) removed: Vec<Removed>,
    /// Conversations with others that mention the user: left.
    pub(super) shared: Vec<String>,
    /// Conversations with more participants than are listed, perhaps the user: left.
    pub(super) crowded: Vec<String>,
    /// Conversations of older builds in which no activity is stored: left.
    pub(super) silent: usize,
    /// Documents that cannot be read: left.
    pub(super) damaged: Vec<String>,
    /// True if documents of the user were written again as fast as they were removed.
    pub(super) unsettled: bool,
    /// Work of the engine on the remains in its files; none in a dry run.
    pub(super) files: Option<Files>,
}

/// Outcome of the physical erasure.
#[derive(Debug, Default, Serialize)]
pub(super) struct Files {
    /// True if the engine's own files hold nothing any more of what was removed.
    whole: bool,
    done: Vec<String>,
    /// Places where copies may be left.
    left: Vec<String>,
    /// Reason why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    failed: Option<String>,
}

impl Files {
    pub(super) fn of(purged: Result<Purged, sayso::turn::store::Error>) -> Self {
        match purged {
            Ok(Purged { is_whole: whole, done, left }) => Self { whole, done, left, failed: None },
            Err(error) => Self { failed: Some(error.to_string()), ..Self::default() },
        }
    }
}

impl Report {
    /// Notes a document that is removed.
    pub(super) fn note(&mut self, found: &Found, kind: Kind) {
        let facts = Facts::new(found);
        if self.removed.iter().any(|removed| removed.key == facts.key) {
            return;
        }
        let kind_name = match kind {
            Kind::User => "user",
            Kind::Private => "private",
            Kind::OneToOne => "one-to-one",
            Kind::Named => "named",
        };
        let waiting = match facts.waiting() {
            waiting if waiting.is_empty() => String::new(),
            waiting => format!("  ({waiting})"),
        };
        let size = units::bytes(facts.bytes);
        let line = format!("  {kind_name:<10}  {size:>10}  {}{waiting}", found.key);
        self.removed.push(Removed { key: facts.key, kind, line });
    }

    /// Judges whether the erasure is complete, but for what the options allow to be left.
    pub(super) fn judge(&mut self, options: &Forget) {
        let is_shared = !(self.shared.is_empty() && self.crowded.is_empty());
        let has_failed = self.files.as_ref().is_some_and(|files| files.failed.is_some());
        self.complete = !self.unsettled
            && self.damaged.is_empty()
            && !has_failed
            && (!is_shared || options.allow_shared)
            && (self.silent == 0 || options.allow_silent);
    }

    pub(super) fn text(&self, paint: Paint) -> String {
        let mut lines: Vec<String> = self.removed.iter().map(|one| one.line.clone()).collect();
        let removed = if self.dry_run { "would be removed" } else { "removed" };
        let documents = units::many(self.removed.len(), "document", "documents");
        lines.push(paint.text(Look::Bold, format!("{documents} {removed}")));
        if !self.shared.is_empty() {
            let shared =
                units::many(self.shared.len(), "conversation mentions", "conversations mention");
            lines.push(format!("{shared} the user beside others; left as they are:"));
            lines.extend(self.shared.iter().map(|key| format!("  {}", key.escape_debug())));
        }
        if !self.crowded.is_empty() {
            let crowded = units::many(self.crowded.len(), "conversation has", "conversations have");
            lines.push(format!("{crowded} more participants than are listed; left as they are:"));
            lines.extend(self.crowded.iter().map(|key| format!("  {}", key.escape_debug())));
        }
        if self.silent > 0 {
            let silent = units::many(
                self.silent,
                "conversation holds no activity that tells whose it is",
                "conversations hold no activity that tells whose they are",
            );
            lines.push(format!("{silent}; name those of the user with --conversation"));
        }
        if let Some(files) = &self.files {
            lines.extend(files.done.iter().map(|done| format!("in the store's files: {done}")));
            let failed = files.failed.iter();
            lines.extend(
                failed.map(|why| format!("the store's files were left as they are: {why}")),
            );
            lines.extend(files.left.iter().map(|left| format!("may still hold copies: {left}")));
        }
        lines.join("\n")
    }
}
