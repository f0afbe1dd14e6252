//! Relation of a document to a user: theirs alone, shared with others, or nobody can tell.

use std::collections::BTreeSet;

use sayso::{
    activity::{Activity, Raw},
    turn::{Key, KeyScope, document::Ledger},
};
use serde::Serialize;

use crate::state::found::Found;

/// User to forget.
#[derive(Debug)]
pub(super) struct Person {
    /// The bot and the tenant with whom they speak.
    pub(super) scope: KeyScope<'static>,
    pub(super) channel: String,
    pub(super) user: String,
    /// Keys of conversations that `--conversation` declares to be theirs.
    pub(super) named: BTreeSet<Key>,
    /// True if every document of the channel is read.
    pub(super) scans: bool,
}

/// Reason for which a document is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Kind {
    User,
    Private,
    OneToOne,
    Named,
}

/// Relation of a document to a person.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Relation {
    Theirs(Kind),
    /// Others speak in it, too.
    Shared,
    /// More took part than are listed, and nothing tells whether the person did.
    Crowded,
    /// Nobody speaks in it at the moment, and nobody knows who did.
    Silent,
    Other,
}

/// Counts of the activities that a document holds.
#[derive(Debug, Default)]
struct Counts {
    all: usize,
    /// From or to the person.
    theirs: usize,
    /// Those of them that are not of a group.
    alone: usize,
}

impl Person {
    pub(super) fn relation(&self, found: &Found) -> Relation {
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
        let ledger = &found.document.ledger;
        let participants = &ledger.participants;
        let Counts { all, theirs, alone } = self.count(ledger);
        let is_listed = participants.listed().iter().any(|id| *id == self.user);
        let is_with_others =
            participants.is_group() || participants.listed().iter().any(|id| *id != self.user);
        match (is_listed || theirs > 0, participants.all().is_some()) {
            (true, _) if is_with_others || participants.has_more() || alone < all => {
                Relation::Shared
            }
            (true, _) => Relation::Theirs(Kind::OneToOne),
            (false, true) => Relation::Other,
            (false, false) if participants.has_more() => Relation::Crowded,
            // A document of another user in a conversation is not a conversation.
            (false, false) if all > 0 || key.contains("/users/") => Relation::Other,
            (false, false) => Relation::Silent,
        }
    }

    fn count(&self, ledger: &Ledger) -> Counts {
        let mut counts = Counts::default();
        for json in activities(ledger) {
            let activity = serde_json::from_str::<Activity>(json).ok();
            let is_theirs = activity.as_ref().is_some_and(|activity| self.speaks(activity));
            let is_alone = is_theirs && !activity.as_ref().is_some_and(is_group);
            counts.all += 1;
            counts.theirs += usize::from(is_theirs);
            counts.alone += usize::from(is_alone);
        }
        counts
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
