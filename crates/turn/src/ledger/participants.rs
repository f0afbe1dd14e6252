//! Participants: the accounts that took part in a conversation, so that erasure finds it.
//!
//! The list is complete or says that it is not. It carries the revision of the document that it was
//! written with: a build that does not know it keeps it as it is and counts on, and whoever that
//! build let in is not in it.

use std::sync::Arc;

use sayso_activity::{Account, Activity, json::write_string};
use serde::Deserialize;
use smol_str::SmolStr;

use crate::{Key, KeyKind, Limits, store};

/// Maximum length of an id that is listed, in bytes.
const ID_BYTES_MAX: usize = 256;

/// Part of a key before the id of the user that it belongs to.
const USERS: &str = "/users/";

/// Accounts that took part in a conversation.
#[derive(Clone, Debug)]
pub struct Participants {
    known: Known,
    /// True if the store has not been told since they changed.
    is_changed: bool,
}

#[derive(Clone, Debug)]
enum Known {
    /// Nobody has taken part yet.
    Nobody,
    /// Builds that keep no list have written the document.
    Unlisted,
    Listed(Arc<Listed>),
}

#[derive(Clone, Debug, Default)]
struct Listed {
    ids: Vec<SmolStr>,
    is_group: bool,
    /// True if there were more than are listed.
    has_more: bool,
    /// The end of the stored form, made once.
    json: String,
}

/// Stored form.
#[derive(Debug, Deserialize)]
pub(super) struct Stored {
    rev: u64,
    ids: Vec<SmolStr>,
    #[serde(default)]
    group: bool,
    #[serde(default)]
    more: bool,
}

impl Default for Participants {
    /// Those of a document that begins.
    fn default() -> Self {
        Self { known: Known::Nobody, is_changed: true }
    }
}

impl Participants {
    /// Makes those of a stored document with this revision.
    pub(super) fn stored(stored: Option<Stored>, rev: u64) -> Self {
        match stored {
            Some(Stored { rev: own, ids, group: is_group, more: has_more }) if own == rev => {
                let listed = Listed { ids, is_group, has_more, json: String::new() };
                Self { known: Known::Listed(Arc::new(listed.with_json())), is_changed: false }
            }
            // The store may take an older list for the whole one.
            _ => Self { known: Known::Unlisted, is_changed: true },
        }
    }

    /// Adds whoever takes part by an activity. Nearly always they are listed already.
    pub(crate) fn note(&mut self, activity: &Activity, limits: &Limits) {
        let is_group = is_group(activity);
        let is_known = match (&self.known, &activity.from) {
            (Known::Unlisted, _) => true,
            (Known::Listed(listed), Some(Account { id: Some(id), .. })) => {
                listed.is_group >= is_group && listed.ids.iter().any(|known| known == id)
            }
            _ => false,
        };
        if !is_known || activity.members_added.is_some() {
            self.add(activity, is_group, limits);
        }
    }

    #[cold]
    fn add(&mut self, activity: &Activity, is_group: bool, limits: &Limits) {
        let mut listed = match &self.known {
            Known::Unlisted => return,
            Known::Nobody => Listed::default(),
            Known::Listed(listed) => Listed::clone(listed),
        };
        let before = (listed.ids.len(), listed.is_group, listed.has_more);
        listed.is_group |= is_group;
        let id_of = |account: &'_ Account| account.id.clone();
        let bot = activity.recipient.as_ref().and_then(id_of);
        let joined = activity.members_added.iter().flatten();
        for id in activity.from.iter().chain(joined).filter_map(id_of) {
            if Some(&id) == bot.as_ref() || listed.ids.iter().any(|known| *known == id) {
                continue;
            }
            if id.len() > ID_BYTES_MAX || listed.ids.len() >= limits.participants_max {
                listed.has_more = true;
            } else {
                listed.ids.push(id.into());
            }
        }
        if matches!(self.known, Known::Listed(_))
            && before == (listed.ids.len(), listed.is_group, listed.has_more)
        {
            return;
        }
        self.known = Known::Listed(Arc::new(listed.with_json()));
        self.is_changed = true;
    }

    /// Returns the hint for the store if it has not been told of the last change.
    pub(crate) fn take_hint(&mut self, key: &Key) -> Option<store::Participants> {
        if !self.is_changed {
            return None;
        }
        self.is_changed = false;
        if matches!(self.known, Known::Nobody) && key.kind() == KeyKind::Conversation {
            // Stored, or it would be read as one whose list nobody kept: a fence may begin it.
            self.known = Known::Listed(Arc::new(Listed::default().with_json()));
        }
        self.hint(key)
    }

    /// Returns the hint for the store: these, and whoever the key itself names.
    #[must_use]
    pub fn hint(&self, key: &Key) -> Option<store::Participants> {
        let ids = match (&self.known, key.kind()) {
            (Known::Listed(listed), _) if listed.has_more => {
                return Some(store::Participants::Unknown);
            }
            (Known::Listed(listed), _) => listed.ids.as_slice(),
            (Known::Unlisted, KeyKind::Conversation) => return Some(store::Participants::Unknown),
            // Who it belongs to is in its key, and so told when it was created.
            (Known::Unlisted, _) | (Known::Nobody, KeyKind::Other) => return None,
            (Known::Nobody, _) => &[],
        };
        let text = key.as_str();
        // Ids may contain the separator, so every possible one counts.
        let named = text.match_indices(USERS).filter_map(|(at, _)| text.get(at + USERS.len()..));
        let all = ids.iter().map(SmolStr::as_str).chain(named);
        Some(store::Participants::All(all.map(store::Participant::of).collect()))
    }

    /// Returns their ids, if all of them are known.
    #[must_use]
    pub fn all(&self) -> Option<&[SmolStr]> {
        match &self.known {
            Known::Nobody => Some(&[]),
            Known::Listed(listed) if !listed.has_more => Some(&listed.ids),
            Known::Listed(_) | Known::Unlisted => None,
        }
    }

    /// Returns the ids that are listed, perhaps of more.
    #[must_use]
    pub fn listed(&self) -> &[SmolStr] {
        self.as_listed().map_or(&[], |listed| &listed.ids)
    }

    /// Reports whether more took part than can be listed.
    #[must_use]
    pub fn has_more(&self) -> bool {
        self.as_listed().is_some_and(|listed| listed.has_more)
    }

    /// Reports whether the channel said that the conversation is a group.
    #[must_use]
    pub fn is_group(&self) -> bool {
        self.as_listed().is_some_and(|listed| listed.is_group)
    }

    fn as_listed(&self) -> Option<&Listed> {
        match &self.known {
            Known::Listed(listed) => Some(listed),
            Known::Nobody | Known::Unlisted => None,
        }
    }

    /// Returns the stored form after the revision.
    pub(super) fn as_json(&self) -> Option<&str> {
        self.as_listed().map(|listed| &*listed.json)
    }

    /// Approximate size as JSON, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.as_json().map_or(0, |json| json.len() + 48)
    }
}

impl Listed {
    fn with_json(mut self) -> Self {
        let json = &mut self.json;
        json.clear();
        json.push_str(",\"ids\":[");
        for (index, id) in self.ids.iter().enumerate() {
            if index > 0 {
                json.push(',');
            }
            write_string(json, id);
        }
        json.push(']');
        if self.is_group {
            json.push_str(",\"group\":true");
        }
        if self.has_more {
            json.push_str(",\"more\":true");
        }
        json.push('}');
        self
    }
}

fn is_group(activity: &Activity) -> bool {
    activity.conversation.as_ref().is_some_and(|conversation| conversation.is_group == Some(true))
}

#[cfg(test)]
mod tests;
