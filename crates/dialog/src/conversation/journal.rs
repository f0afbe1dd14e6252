//! The journal (replay log): the steps that a conversation under way has done, as they are stored.
//!
//! One property of the conversation's state. A *frame* is a conversation that was begun: the bot's
//! own at the bottom, interruptions above it. A *scope* is a function in it: the conversation's own
//! first, then those it has called and that have not ended. An *entry* is a step that is done.

use sayso_activity::Raw;
use sayso_turn::{TimerId, Turn};
use serde::{Deserialize, Deserializer, Serialize};

use super::Error;

/// The format that is written.
const FORMAT: u32 = 1;

/// All frames of a conversation, the top one last.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Journal {
    #[serde(rename = "v")]
    format: u32,
    pub(super) frames: Vec<Frame>,
}

/// A conversation that was begun and has not ended.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Frame {
    pub(super) name: String,
    /// The innermost function last. There is always one.
    pub(super) scopes: Vec<Scope>,
    /// The question or sleep that it waits for. Only a frame that runs right now waits for nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) pending: Option<Pending>,
}

/// A function of a conversation that was begun and has not ended.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Scope {
    /// The label of the call; empty for the outermost.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) label: String,
    /// The number of steps that were done before the first entry, and forgotten.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) base: u64,
    /// The state that the author kept when they were forgotten.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "some")]
    pub(super) kept: Option<Raw>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) entries: Vec<Entry>,
    /// The number of entries that the code has come to in this turn.
    #[serde(skip)]
    pub(super) cursor: usize,
}

/// A step that is done: its label, its result, and how it went wrong if it did. Stored as a list.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Entry(
    pub(super) String,
    pub(super) Raw,
    #[serde(default, skip_serializing_if = "Option::is_none")] pub(super) Option<Failure>,
);

/// A failure of a step that its code can handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Failure {
    /// The result is the number of attempts.
    Attempts,
    Late,
    /// The result is the text of the error.
    Failed,
}

/// The question or sleep that a frame waits for.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Pending {
    pub(super) label: String,
    /// The scope that waits.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) depth: usize,
    /// The number of answers that were not understood.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) attempts: u32,
    /// One for each deadline; `None` for one that has passed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) timers: Vec<Option<TimerId>>,
    /// The last deadline that has passed and was not dealt with, because another frame was on top.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) late: Option<usize>,
    /// The label that the frame waited for before changed code put this question in front of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) before: Option<String>,
    /// True if every text is an answer, also one that would cancel.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(super) literal: bool,
}

impl Journal {
    /// Takes the journal out of the turn's state, to be put back at its end.
    pub(super) fn take(turn: &mut Turn, property: &str) -> Result<Self, Error> {
        let journal = std::mem::take(turn.state().named::<Self>(property)?);
        match journal.format > FORMAT {
            true => Err(Error::Newer { found: journal.format, known: FORMAT }),
            false => Ok(journal),
        }
    }

    /// Puts the journal back, or removes it if the conversation is over.
    pub(super) fn put(mut self, turn: &mut Turn, property: &str) -> Result<(), Error> {
        if self.frames.is_empty() {
            turn.state().remove(property);
            return Ok(());
        }
        self.format = FORMAT;
        *turn.state().named::<Self>(property)? = self;
        Ok(())
    }

    /// Marks the deadline that a timer stands for as passed. Returns `true` if the top frame waits
    /// for it.
    pub(super) fn ring(&mut self, timer: &str) -> bool {
        let top = self.frames.len().saturating_sub(1);
        for (index, frame) in self.frames.iter_mut().enumerate() {
            let Some(pending) = &mut frame.pending else { continue };
            let is_it = |id: &Option<TimerId>| id.as_ref().is_some_and(|id| id.as_str() == timer);
            if let Some(at) = pending.timers.iter().position(is_it) {
                pending.timers.iter_mut().skip(at).take(1).for_each(|id| *id = None);
                pending.late = pending.late.max(Some(at));
                return index == top;
            }
        }
        false
    }
}

impl Frame {
    pub(super) fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), scopes: vec![Scope::default()], pending: None }
    }

    /// The number of entries, and about how many bytes they take.
    pub(super) fn size(&self) -> (usize, usize) {
        let entries = || self.scopes.iter().flat_map(|scope| &scope.entries);
        (entries().count(), entries().map(Entry::bytes).sum())
    }

    /// The place of the next step of a scope, for people and for idempotency keys: `2.0`. No two
    /// steps of a frame ever have the same.
    pub(super) fn position(&self, depth: usize) -> String {
        let parts = self.scopes.iter().take(depth + 1);
        let parts: Vec<_> = parts
            .map(|scope| (scope.base.saturating_add(scope.cursor as u64)).to_string())
            .collect();
        parts.join(".")
    }

    /// Forgets the question or sleep that it waits for, and cancels its timers.
    pub(super) fn cancel_timers(&mut self, turn: &mut Turn) {
        if let Some(pending) = self.pending.take() {
            pending.cancel_timers(turn);
        }
    }
}

impl Pending {
    pub(super) fn cancel_timers(self, turn: &mut Turn) {
        self.timers.iter().flatten().for_each(|timer| turn.cancel(timer));
    }
}

impl Entry {
    pub(super) fn bytes(&self) -> usize {
        // The brackets, quotes and commas around them.
        self.0.len() + self.1.as_str().len() + 6
    }
}

fn is_zero<T: Default + PartialEq>(number: &T) -> bool {
    *number == T::default()
}

fn is_false(fact: &bool) -> bool {
    !*fact
}

/// Reads a `null` as a value, to tell it from a missing member.
fn some<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Raw>, D::Error> {
    Raw::deserialize(deserializer).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stored_form_is_compact_and_stays_as_it_is() {
        let text = r#"{"v":1,"frames":[{"name":"order","scopes":[{"base":3,"kept":null,"entries":[["ask size","large"],["ask n",3,"attempts"]]},{"label":"call address"}],"pending":{"label":"ask street","depth":1,"timers":["a.t0",null]}}]}"#;
        let journal: Journal = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&journal).unwrap(), text);
        let frame = &journal.frames[0];
        assert_eq!(frame.scopes[0].kept, Some(Raw::null()));
        assert_eq!(frame.size().0, 2);
        assert_eq!(frame.position(1), "3.0");
    }

    #[test]
    fn a_timer_rings_once_and_tells_whether_the_top_waits_for_it() {
        let text = r#"{"v":1,"frames":[
            {"name":"a","scopes":[{}],"pending":{"label":"x","timers":["1","2"]}},
            {"name":"b","scopes":[{}],"pending":{"label":"y","timers":["3"]}}]}"#;
        let mut journal: Journal = serde_json::from_str(text).unwrap();
        assert!(!journal.ring("2"));
        assert!(!journal.ring("1"));
        assert_eq!(journal.frames[0].pending.as_ref().unwrap().late, Some(1));
        assert!(journal.ring("3"));
        assert!(!journal.ring("3"));
    }
}
