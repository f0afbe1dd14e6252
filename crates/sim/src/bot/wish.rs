//! Wishes: what an activity or a timer asks the bot to do.

use std::time::Duration;

use sayso_activity::Activity;
use sayso_turn::{BotError, DeliveryPolicy};
use serde::{Deserialize, Serialize};

use super::lifetimes::OwnTtl;

/// Tasks of the bot, beside appending the wish's id to the log.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Wish {
    /// Its name in the log: the id of the activity, or the timer's own.
    pub(crate) id: String,
    /// Number of replies.
    pub(crate) replies: usize,
    /// Panic instead.
    pub(crate) panic: bool,
    /// Reset a property of the conversation when it panics, together with the apology.
    pub(crate) reset: bool,
    /// Fail so many times, counted outside, before it succeeds.
    pub(crate) fails: u32,
    /// Grow the state beyond what the store takes.
    pub(crate) oversized: bool,
    /// Set timers.
    pub(crate) timers: Vec<Later>,
    /// Cancel one of the timers that were ever set, by its place modulo their number.
    pub(crate) cancel: Option<usize>,
    /// Append to the user's document too.
    pub(crate) user: bool,
    /// Use the two documents that belong together.
    pub(crate) pair: Option<Pair>,
    /// Append to the property that two builds keep in different ways.
    pub(crate) order: bool,
    /// Call the service outside so many times.
    pub(crate) calls: u32,
    /// Take so many milliseconds.
    pub(crate) slow_ms: Option<u64>,
    /// Make the first reply a stream.
    pub(crate) stream: bool,
    /// Say and answer a lot.
    pub(crate) bulk: bool,
    /// Change the message that was kept, and keep the first reply for others to change.
    pub(crate) change: bool,
    /// Delete it instead.
    pub(crate) delete: bool,
    /// Delivery policy of its replies, instead of what the bot says about all of them.
    pub(crate) policy: Option<Policy>,
    /// Ask for a document and stop waiting for it.
    pub(crate) gives_up: bool,
    /// Wait for a turn of the same conversation, which must be refused.
    pub(crate) inward: bool,
    /// TTL of the conversation's document, and of the user's if that is appended to.
    pub(crate) ttl: Option<OwnTtl>,
    /// Add a visit to the document that has nothing else in it.
    pub(crate) visit: bool,
    /// Take so many durable steps.
    pub(crate) steps: u32,
}

/// Delivery policy of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Policy {
    /// True if it is sent once at most.
    pub(crate) is_once: bool,
    /// For how many milliseconds it is worth sending.
    pub(crate) expires_ms: Option<u64>,
}

impl Policy {
    pub(crate) fn delivery(self) -> DeliveryPolicy {
        let policy = if self.is_once { DeliveryPolicy::once() } else { DeliveryPolicy::repeat() };
        match self.expires_ms {
            Some(after) => policy.expires(Duration::from_millis(after)),
            None => policy,
        }
    }
}

/// Operation on the two documents that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Pair {
    /// Count in both.
    Write,
    /// Read both, which must agree.
    Read,
}

/// A timer that a wish asks for.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Later {
    pub(crate) after_ms: u64,
    /// True if the same turn cancels it again, before it sets the next one.
    pub(crate) is_cancelled: bool,
    pub(crate) wish: Wish,
}

/// Record of a timer in the state.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Note {
    /// The id of its wish.
    pub(crate) wish: String,
    /// The engine's name of it.
    pub(crate) timer: sayso_turn::TimerId,
    /// The place in the log of the turn that cancelled it.
    pub(crate) cancelled_at: Option<usize>,
}

/// Counts that a turn saw in the two documents that belong together.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Sight {
    pub(crate) wish: String,
    pub(crate) first: u64,
    pub(crate) second: u64,
}

impl Wish {
    /// Reports whether the turn must leave the state as it is.
    pub(crate) fn is_refused(&self) -> bool {
        self.panic || self.oversized
    }

    /// The wishes of an activity: one, or one a line where several messages became one turn.
    pub(crate) fn all(activity: &Activity) -> Result<Vec<Self>, BotError> {
        if let Some(value) = &activity.value {
            return Ok(vec![value.get()?]);
        }
        let parsed: Result<Vec<Self>, _> =
            activity.text().lines().map(serde_json::from_str).collect();
        Ok(parsed?)
    }

    /// This wish and all that its timers will have, and theirs.
    pub(crate) fn flat(&self) -> Vec<&Self> {
        let mut all = vec![self];
        for timer in &self.timers {
            all.extend(timer.wish.flat());
        }
        all
    }
}
