//! `sayso state forget`: erases what is stored about a user (right to be forgotten).
//!
//! What belongs to a user alone is found by its key, or by who speaks in it. Everything that the
//! runtime keeps is inside the documents, so removing them removes all of it.

use std::{collections::BTreeSet, process::ExitCode};

use anyhow::bail;
use futures_util::{StreamExt as _, TryStreamExt as _};
use sayso::{
    activity::{Activity, Raw},
    turn::{Key, KeyScope, document::Ledger, store::Store},
};
use serde::Serialize;

use super::{
    exit,
    facts::Facts,
    found::{Found, Looked, look},
    limits::{IN_FLIGHT, ROUNDS_MAX},
    options::Forget,
    output::Output,
    patience::delete,
    units,
};
use crate::{
    place::Missing,
    terminal::{self, Look, Paint},
};

/// User to forget.
#[derive(Debug)]
struct Person {
    /// The bot and the tenant with whom they speak.
    scope: KeyScope<'static>,
    channel: String,
    user: String,
    /// Keys of conversations that `--conversation` declares to be theirs.
    named: BTreeSet<Key>,
}

/// Reason for which a document is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    User,
    Private,
    OneToOne,
    Named,
}

/// Relation of a document to a person.
#[derive(Debug, PartialEq, Eq)]
enum Relation {
    Theirs(Kind),
    /// Others speak in it, too.
    Shared,
    /// Nobody speaks in it at the moment.
    Silent,
    Other,
}

/// Document that was removed, or would be in a dry run.
#[derive(Debug, Serialize)]
struct Removed {
    key: String,
    kind: Kind,
    #[serde(skip)]
    line: String,
}

/// Result: the documents removed, and those left alone.
#[derive(Debug, Default, Serialize)]
struct Report {
    dry_run: bool,
    removed: Vec<Removed>,
    /// Conversations with others that mention the user: left.
    shared: Vec<String>,
    /// Conversations in which no activity is stored: left.
    silent: usize,
    /// Documents that cannot be read: left.
    damaged: Vec<String>,
}

/// Removes the user's documents, round by round until none is found.
pub(super) async fn run(options: Forget) -> anyhow::Result<ExitCode> {
    let store = options.place.open(Missing::Refuse).await?;
    let scope = options.whose.exact_scope(&options.place.load()?)?;
    let conversation = |id: &String| scope.conversation(&options.channel, id);
    let named = options.conversation.iter().map(conversation).collect::<Result<_, _>>()?;
    let (channel, user) = (options.channel.clone(), options.user.clone());
    let person = Person { scope, channel, user, named };
    let mut report = Report { dry_run: options.dry_run, ..Report::default() };
    // What a turn under way writes again is found by the next round.
    let mut is_done = false;
    for _ in 0..ROUNDS_MAX {
        let found = person.round(store.as_ref(), &mut report).await?;
        is_done = found == 0 || options.dry_run;
        if is_done {
            break;
        }
    }
    let mut output = Output::new();
    match options.json {
        true => output.json(&report)?,
        false => output.line(report.text(Paint::stdout()))?,
    }
    output.end()?;
    report.damaged.iter().for_each(|reason| terminal::note(reason));
    if !is_done {
        bail!(
            "documents of the user are written all the time; stop the conversation and run again"
        );
    }
    Ok(exit::code(report.damaged.is_empty()))
}

impl Person {
    /// Scans the documents of the channel once and removes those of the user. Returns how many were
    /// found.
    async fn round(&self, store: &dyn Store, report: &mut Report) -> anyhow::Result<usize> {
        report.shared.clear();
        report.damaged.clear();
        report.silent = 0;
        let conversations = format!("{}{}/conversations/", self.scope, self.channel);
        let own = futures_util::stream::iter([Ok(self.scope.user(&self.channel, &self.user)?)]);
        let keys = own.chain(store.list(&conversations));
        let looks = keys.map_ok(|key| async {
            let looked = look(store, &key).await?;
            Ok((key, looked))
        });
        let mut looks = looks.try_buffer_unordered(IN_FLIGHT);
        let mut found = 0;
        while let Some((key, looked)) = looks.try_next().await? {
            match looked {
                Looked::Absent => {}
                Looked::Damaged { reason, .. } => report.damaged.push(reason),
                Looked::Found(document) => match self.relation(&document) {
                    Relation::Theirs(kind) => {
                        found += 1;
                        report.note(&document, kind);
                        if !report.dry_run {
                            // One that changed since is judged anew by the next round.
                            let _is_gone = delete(store, &key, &document.etag).await?;
                        }
                    }
                    Relation::Shared => report.shared.push(key.to_string()),
                    Relation::Silent => report.silent += 1,
                    Relation::Other => {}
                },
            }
        }
        report.shared.sort();
        Ok(found)
    }

    fn relation(&self, found: &Found) -> Relation {
        let key = found.key.as_str();
        if self.scope.user(&self.channel, &self.user).is_ok_and(|own| own == found.key) {
            return Relation::Theirs(Kind::User);
        }
        if self.named.contains(&found.key) {
            return Relation::Theirs(Kind::Named);
        }
        if key.ends_with(&format!("/users/{}", self.user)) {
            return Relation::Theirs(Kind::Private);
        }
        let (mut all, mut theirs, mut alone) = (0, 0, 0);
        for json in activities(&found.document.ledger) {
            let activity = serde_json::from_str::<Activity>(json).ok();
            let is_theirs = activity.as_ref().is_some_and(|activity| self.speaks(activity));
            let is_alone = is_theirs && !activity.as_ref().is_some_and(is_group);
            all += 1;
            theirs += usize::from(is_theirs);
            alone += usize::from(is_alone);
        }
        match (all, theirs) {
            // A document of another user in a conversation is not a conversation.
            (0, _) if key.contains("/users/") => Relation::Other,
            (0, _) => Relation::Silent,
            (_, 0) => Relation::Other,
            _ if alone == all => Relation::Theirs(Kind::OneToOne),
            _ => Relation::Shared,
        }
    }

    /// Reports whether an activity is from or to them.
    fn speaks(&self, activity: &Activity) -> bool {
        let accounts = [&activity.from, &activity.recipient];
        let mut ids = accounts.into_iter().flatten().filter_map(|account| account.id.as_deref());
        ids.any(|id| id == self.user)
    }
}

/// Reports whether the channel says that the conversation is a group.
fn is_group(activity: &Activity) -> bool {
    activity.conversation.as_ref().is_some_and(|conversation| conversation.is_group == Some(true))
}

/// Every activity that a document holds.
fn activities(ledger: &Ledger) -> impl Iterator<Item = &str> {
    let outbox = ledger.outbox.iter().map(|entry| &*entry.activity);
    let parked = ledger.parked.iter().map(|parked| &parked.activity);
    let timers = ledger.timers.iter().map(|timer| &timer.activity);
    let answers = ledger.answers.iter().flat_map(|answer| &answer.replies);
    let inbox = ledger.inbox.iter().map(|accepted| &accepted.activity);
    let others = inbox.chain(parked).chain(timers).chain(answers).map(Raw::as_str);
    outbox.chain(others)
}

impl Report {
    fn note(&mut self, found: &Found, kind: Kind) {
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

    fn text(&self, paint: Paint) -> String {
        let mut lines: Vec<String> = self.removed.iter().map(|one| one.line.clone()).collect();
        let removed = if self.dry_run { "would be removed" } else { "removed" };
        let documents = units::many(self.removed.len(), "document", "documents");
        lines.push(paint.text(Look::Bold, format!("{documents} {removed}")));
        if !self.shared.is_empty() {
            let shared =
                units::many(self.shared.len(), "conversation mentions", "conversations mention");
            lines.push(format!("{shared} the user beside others; left as they are:"));
            lines.extend(self.shared.iter().map(|key| format!("  {key}")));
        }
        if self.silent > 0 {
            let silent = units::many(
                self.silent,
                "conversation holds no activity that tells whose it is",
                "conversations hold no activity that tells whose they are",
            );
            lines.push(format!("{silent}; name those of the user with --conversation"));
        }
        lines.join("\n")
    }
}

#[cfg(test)]
mod tests;
