//! `sayso state ls`: lists documents, one line each.

use std::process::ExitCode;

use futures_util::StreamExt as _;
use sayso::turn::{clock::Timestamp, document::Ledger};
use serde_json::json;

use super::{
    exit,
    facts::Facts,
    found::{Looked, look, now},
    index,
    limits::IN_FLIGHT,
    options::Ls,
    output::Output,
    units,
};
use crate::{
    place::Missing,
    terminal::{self, Paint},
};

/// Totals of a listing.
#[derive(Debug, Default)]
struct Sum {
    documents: usize,
    bytes: u64,
    inbox: usize,
    outbox: usize,
    timers: usize,
    parked: usize,
    damaged: usize,
}

/// Contents that a document must have to be listed: any of these, or nothing in particular.
#[derive(Clone, Copy, Debug)]
struct Filter {
    waiting: bool,
    timers: bool,
    parked: bool,
}

impl Filter {
    fn of(options: &Ls) -> Self {
        Self { waiting: options.waiting, timers: options.timers, parked: options.parked }
    }

    /// The latest due time of a wanted document; `None` if all documents are wanted.
    fn horizon(self) -> Option<Timestamp> {
        match self {
            Self { timers: true, .. } | Self { parked: true, .. } => Some(Ledger::PARKED),
            Self { waiting: true, .. } => Some(Ledger::WAITING_MAX),
            Self { .. } => None,
        }
    }

    fn wants(self, facts: &Facts) -> bool {
        self.horizon().is_none()
            || (self.waiting && facts.is_waiting())
            || (self.timers && facts.timers > 0)
            || (self.parked && facts.parked > 0)
    }
}

/// Prints a line for each document, and the totals.
pub(super) async fn run(options: Ls) -> anyhow::Result<ExitCode> {
    let store = options.place.open(Missing::Refuse).await?;
    let store = store.as_ref();
    let limit = options.limit.unwrap_or(usize::MAX);
    let prefix = options.whose.prefix(&options.place.load()?, &options.prefix);
    let filter = Filter::of(&options);
    let keys = match filter.horizon() {
        None => store.list(&prefix),
        Some(horizon) => index::keys(store, horizon, &prefix),
    };
    // What is listed is what was asked for; what the index names too many is read and left out.
    let read_max = if filter.horizon().is_some() { usize::MAX } else { limit };
    let looks = keys.take(read_max).map(|key| async {
        let key = key?;
        let looked = look(store, &key).await?;
        Ok::<_, anyhow::Error>((key, looked))
    });
    let mut looks = looks.buffered(IN_FLIGHT);
    let (mut output, paint, mut sum) = (Output::new(), Paint::stdout(), Sum::default());
    let now = now();
    let mut read: usize = 0;
    while sum.documents + sum.damaged < limit
        && let Some(looked) = looks.next().await
    {
        let (key, looked) = looked?;
        read += 1;
        match looked {
            // Removed since it was listed.
            Looked::Absent => {}
            Looked::Found(found) => {
                let facts = Facts::new(&found);
                if !filter.wants(&facts) {
                    continue;
                }
                if options.json {
                    output.json(&facts)?;
                } else {
                    if sum.documents == 0 {
                        output.line(Facts::head(paint))?;
                    }
                    output.line(facts.row(now, paint))?;
                }
                sum.add(&facts);
            }
            Looked::Damaged { reason, .. } => {
                sum.damaged += 1;
                if options.json {
                    output.json(&json!({"key": key.as_str(), "damaged": reason}))?;
                }
                terminal::note(&reason);
            }
        }
    }
    output.end()?;
    if !options.json {
        terminal::note(&sum.sentence(&store.to_string()));
        if filter.horizon().is_some() {
            let read = units::many(read, "document", "documents");
            terminal::note(&format!("read {read} that the index of due documents names"));
        }
        if sum.documents + sum.damaged >= limit {
            terminal::note(&format!("stopped at --limit {limit}; there may be more"));
        }
    }
    Ok(exit::code(sum.damaged == 0))
}

impl Sum {
    fn add(&mut self, facts: &Facts) {
        self.documents += 1;
        self.bytes += facts.bytes;
        self.inbox += facts.inbox;
        self.outbox += facts.outbox;
        self.timers += facts.timers;
        self.parked += facts.parked;
    }

    fn sentence(&self, store: &str) -> String {
        let damaged = match self.damaged {
            0 => String::new(),
            damaged => format!(", {damaged} damaged and left alone"),
        };
        format!(
            "{} in {store}: {}, {}, {}, {}, {} parked{damaged}",
            units::many(self.documents, "document", "documents"),
            units::bytes(self.bytes),
            units::many(self.inbox, "unfinished turn", "unfinished turns"),
            units::many(self.outbox, "waiting reply", "waiting replies"),
            units::many(self.timers, "timer", "timers"),
            self.parked,
        )
    }
}
