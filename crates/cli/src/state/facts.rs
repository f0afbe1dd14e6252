//! Metadata of a document, without its content.

use sayso::turn::{
    clock::Timestamp,
    document::{Document, Ledger},
};
use serde::Serialize;

use super::{found::Found, units};
use crate::terminal::{Look, Paint};

/// Metadata of a document: its key, its size, and counts of what waits in it.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Facts {
    pub(super) key: String,
    /// Number of times it was written.
    pub(super) revision: u64,
    pub(super) turns: u64,
    pub(super) bytes: u64,
    /// Activities that were acknowledged and whose turns have not ended.
    pub(super) inbox: usize,
    /// Replies to be handed over.
    pub(super) outbox: usize,
    pub(super) timers: usize,
    /// Replies that could not be delivered.
    pub(super) parked: usize,
    /// True while a two-phase commit over several documents is unfinished.
    pub(super) unfinished: bool,
    /// Time at which the next timer is due, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next_timer: Option<Timestamp>,
    /// Time from which on it counts as absent, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) expires: Option<Timestamp>,
    /// The key, safe for a terminal.
    #[serde(skip)]
    shown_key: String,
}

impl Facts {
    pub(super) fn new(found: &Found) -> Self {
        let Document { ledger, .. } = &found.document;
        let Ledger { inbox, outbox, timers, parked, .. } = ledger;
        Self {
            key: found.key.as_str().to_owned(),
            revision: ledger.rev,
            turns: ledger.turn,
            bytes: found.body.len() as u64,
            inbox: inbox.len(),
            outbox: outbox.len(),
            timers: timers.len(),
            parked: parked.len(),
            unfinished: ledger.prepared.is_some() || !ledger.decided.is_empty(),
            next_timer: timers.iter().map(|timer| timer.at).min(),
            expires: ledger.expires,
            shown_key: found.key.to_string(),
        }
    }

    /// Reports whether turns, replies, timers or an unfinished commit would be lost with it.
    pub(super) fn has_promises(&self) -> bool {
        self.is_waiting() || self.timers > 0
    }

    /// Reports whether there is work that is not for later.
    pub(super) fn is_waiting(&self) -> bool {
        self.inbox > 0 || self.outbox > 0 || self.unfinished
    }

    /// Returns in words what waits in it; empty if nothing does.
    pub(super) fn waiting(&self) -> String {
        let inbox = (self.inbox > 0)
            .then(|| units::many(self.inbox, "unfinished turn", "unfinished turns"));
        let outbox = (self.outbox > 0).then(|| units::many(self.outbox, "reply", "replies"));
        let timers = (self.timers > 0).then(|| units::many(self.timers, "timer", "timers"));
        let unfinished = self.unfinished.then(|| "an unfinished change".to_owned());
        let parts: Vec<String> =
            [inbox, outbox, timers, unfinished].into_iter().flatten().collect();
        parts.join(", ")
    }

    /// Header of the table.
    pub(super) fn head(paint: Paint) -> String {
        let head = format!(
            "{:>8}  {:>8}  {:>10}  {:>6}  {:>6}  {:>6}  {:>6}  {:<14}  KEY",
            "REVISION", "TURNS", "SIZE", "INBOX", "OUTBOX", "TIMERS", "PARKED", "NEXT"
        );
        paint.text(Look::Dim, head)
    }

    /// Row of the table. The key is last, because its length varies.
    pub(super) fn row(&self, now: Timestamp, paint: Paint) -> String {
        let waits = |number: usize, look: Look| match number {
            0 => paint.text(Look::Dim, format_args!("{:>6}", "-")),
            _ => paint.text(look, format_args!("{:>6}", units::count(number as u64))),
        };
        format!(
            "{:>8}  {:>8}  {:>10}  {}  {}  {}  {}  {:<14}  {}",
            units::count(self.revision),
            units::count(self.turns),
            units::bytes(self.bytes),
            waits(self.inbox, Look::Yellow),
            waits(self.outbox, Look::Yellow),
            waits(self.timers, Look::Cyan),
            waits(self.parked, Look::Red),
            self.next(now),
            self.shown_key,
        )
    }

    /// Next event of the document, in a word or two.
    fn next(&self, now: Timestamp) -> String {
        if self.expires.is_some_and(|at| at <= now) {
            return "expired".to_owned();
        }
        if self.inbox > 0 {
            return "a long turn".to_owned();
        }
        if self.outbox > 0 {
            return "delivery".to_owned();
        }
        if self.unfinished {
            return "finishing".to_owned();
        }
        if let Some(at) = self.next_timer {
            return format!("timer {}", units::when(at, now));
        }
        self.expires.map(|at| format!("ends {}", units::when(at, now))).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use sayso::turn::{Key, store::ETag};

    use super::*;

    fn facts(ledger: &str) -> Facts {
        let body = format!(r#"{{"said":"a secret","$sayso":{{"v":1,{ledger}}}}}"#);
        Facts::new(&Found::new(&Key::new("a\nb").unwrap(), body, ETag::new("1")).unwrap())
    }

    fn row(ledger: &str) -> String {
        facts(ledger).row(Timestamp::from_millis(60_000), Paint::off())
    }

    #[test]
    fn a_row_has_numbers_under_their_heads_and_tells_nothing_that_was_said() {
        let timer = r#""timers":[{"id":"t","at":120000,"activity":{}}]"#;
        let (head, row) = (Facts::head(Paint::off()), row(&format!(r#""turn":2,"rev":3,{timer}"#)));
        assert_eq!(head.find("KEY"), row.find("a\\nb"), "{head}\n{row}");
        assert!(row.contains("timer in 60 s"), "{row}");
        assert!(!row.contains("secret"), "{row}");
        let json = serde_json::to_string(&facts("\"rev\":1")).unwrap();
        assert!(json.contains(r#""key":"a\nb""#) && !json.contains("secret"), "{json}");
    }

    #[test]
    fn what_waits_is_told() {
        let outbox = facts(r#""outbox":[{"id":"a.0","activity":{}}]"#);
        assert!(outbox.has_promises());
        assert_eq!(outbox.waiting(), "1 reply");
        let inbox = r#""inbox":[{"ids":["a"],"at":1,"activity":{"text":"a secret"}}]"#;
        assert!(facts(inbox).has_promises());
        assert_eq!(facts(inbox).waiting(), "1 unfinished turn");
        assert!(row(inbox).contains("a long turn") && !row(inbox).contains("secret"));
        assert!(serde_json::to_string(&facts(inbox)).unwrap().contains(r#""inbox":1"#));
        assert!(!facts("\"rev\":1").has_promises());
        assert!(facts(r#""decided":[{"id":"w","documents":[]}]"#).has_promises());
        assert!(row(r#""expires":1"#).contains("expired"));
        assert!(row(r#""expires":90000"#).contains("ends in 30 s"));
    }
}
