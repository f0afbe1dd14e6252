//! The ledger: what the runtime writes into a document beside the bot's properties.
//!
//! It is the reason why one conditional write is enough: the fact that a turn ran, what it wants said
//! and what it wants to happen later change together with the state, or not at all.

use std::sync::Arc;

use sayso_activity::{Activity, Raw, json::write_string};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{bag::Bag, text};
use crate::{
    clock::Timestamp,
    id::{ReplyId, TURN_ID_CHARS, TurnId},
};

/// The format this build writes. A document with a higher one is refused, never guessed at.
const FORMAT: u32 = 1;

/// The runtime's own part of a document.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    /// How many turns have committed.
    pub turn: u64,
    /// How often the document was written: tells a stale read from a fresh one.
    pub rev: u64,
    /// Names the last write, uniquely: it makes equal bodies differ, for engines whose versions are
    /// content hashes.
    pub write: String,
    /// The turns lately committed.
    pub seen: Seen,
    /// Answers that a redelivery must get again.
    pub answers: Vec<Arc<Recorded>>,
    /// Who delivers the outbox.
    pub claim: Option<Claim>,
    /// Activities that were acknowledged before their turns ended, in the order of their arrival. While
    /// there is one, whatever arrives takes its place behind it.
    pub inbox: Vec<Arc<Accepted>>,
    /// Replies decided and not yet recorded as handed over, in commit order.
    pub outbox: Vec<Arc<Entry>>,
    /// What the channel calls messages that a later turn may want to change, oldest first.
    pub sent: Arc<Vec<(ReplyId, String)>>,
    /// Replies that could not be delivered, with the reason.
    pub parked: Vec<Arc<Parked>>,
    /// What is to happen later.
    pub timers: Vec<Arc<Timer>>,
    /// A change that a turn of another document wants to make here, where the engine cannot write both
    /// at once.
    pub prepared: Option<Arc<Prepared>>,
    /// Writes of this document that decided about others, until those are finished.
    pub decided: Vec<Decided>,
    /// From when on the document counts as absent.
    pub expires: Option<Timestamp>,
    /// Members of a newer minor format, kept.
    extra: Bag,
}

/// The ids of the last turns, oldest first, in one text of fixed-width ids.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen(String);

/// The answer of a turn whose sender waits for one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Recorded {
    /// The turn.
    pub id: String,
    /// Replies that went into the answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replies: Vec<Raw>,
    /// The answer to an `invoke`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<Response>,
}

/// The answer to an `invoke`: a status and a body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Response {
    /// An HTTP status.
    pub status: u16,
    /// A JSON body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Raw>,
}

/// A claim on the outbox: one instance delivers, in order. It changes with every commit of its holder,
/// so that others see that the holder lives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// The instance.
    pub by: String,
    /// The revision of the holder's last commit: never the same for two claims.
    pub beat: u64,
}

/// An activity that was acknowledged and whose turn has not ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Accepted {
    /// The turn; more than one where several activities became one.
    pub ids: Vec<String>,
    /// When it arrived.
    pub at: Timestamp,
    /// How many instances were gone before they were done with it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lost: u32,
    /// Whether a timer became it: the channel has never had it.
    #[serde(default, rename = "timer", skip_serializing_if = "std::ops::Not::not")]
    pub is_timer: bool,
    /// What arrived.
    pub activity: Raw,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// A reply waiting to be handed over.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// The same for every try.
    pub id: ReplyId,
    /// What to send, as JSON.
    #[serde(with = "text")]
    pub activity: String,
    /// Whether an instance that gave its claim up does not know if it arrived.
    #[serde(default, rename = "doubtful", skip_serializing_if = "std::ops::Not::not")]
    pub is_doubtful: bool,
    /// Whether a later turn may want to change it.
    #[serde(default, rename = "kept", skip_serializing_if = "std::ops::Not::not")]
    pub is_kept: bool,
    /// The same as `activity`, where this process has made it.
    #[serde(skip)]
    pub(crate) made: Option<Arc<Activity>>,
}

impl Entry {
    /// What to send, parsed.
    pub(crate) fn to_activity(&self) -> Result<Arc<Activity>, serde_json::Error> {
        self.made.as_ref().map_or_else(
            || serde_json::from_str(&self.activity).map(Arc::new),
            |made| Ok(Arc::clone(made)),
        )
    }
}

/// A reply that could not be delivered.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Parked {
    /// The reply.
    pub id: ReplyId,
    /// Why.
    pub reason: String,
    /// When it was given up.
    pub at: Timestamp,
    /// What was to be sent.
    pub activity: Raw,
}

/// An event that a committed turn asked for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Timer {
    /// Names the timer, and the activity that it becomes.
    pub id: String,
    /// When it is due.
    pub at: Timestamp,
    /// The event, addressed as an inbound activity.
    pub activity: Raw,
}

/// A change to come, if the write that decides about it happens.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Prepared {
    /// Names the write.
    pub id: String,
    /// The document that is written.
    pub by: String,
    /// The revision that the write replaces.
    pub rev: u64,
    /// What the properties become.
    pub bag: Raw,
}

/// A write that decided about other documents too.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Decided {
    /// Names the write.
    pub id: String,
    /// The other documents, each with the revision under which the change was prepared.
    pub documents: Vec<(String, u64)>,
}

impl Ledger {
    /// A due time that says: an inbox or an outbox waits and nobody has claimed it.
    pub const UNCLAIMED: Timestamp = Timestamp::START;
    /// A due time that says: an inbox or an outbox waits and somebody has claimed it.
    pub const CLAIMED: Timestamp = Timestamp::from_millis(1);

    pub(super) fn parse(raw: &Raw) -> Result<Self, String> {
        let mut members = Bag::from_json(raw.as_str()).map_err(|_| "$sayso is not an object")?;
        let format: u32 = take(&mut members, "v")?;
        if format > FORMAT {
            return Err(format!(
                "its format {format} is newer than this build understands ({FORMAT}); update Sayso"
            ));
        }
        let ledger = Self {
            turn: take(&mut members, "turn")?,
            rev: take(&mut members, "rev")?,
            write: take(&mut members, "write")?,
            seen: Seen::parse(take(&mut members, "seen")?)?,
            answers: take(&mut members, "answers")?,
            claim: take(&mut members, "claim")?,
            inbox: take(&mut members, "inbox")?,
            outbox: take(&mut members, "outbox")?,
            sent: take(&mut members, "sent")?,
            parked: take(&mut members, "parked")?,
            timers: take(&mut members, "timers")?,
            prepared: take(&mut members, "prepared")?,
            decided: take(&mut members, "decided")?,
            expires: take(&mut members, "expires")?,
            extra: members,
        };
        Ok(ledger)
    }

    pub(super) fn write(&self, text: &mut String) {
        text.push_str("{\"v\":");
        push_number(text, FORMAT.into());
        text.push_str(",\"turn\":");
        push_number(text, self.turn);
        text.push_str(",\"rev\":");
        push_number(text, self.rev);
        text.push_str(",\"write\":");
        write_string(text, &self.write);
        text.push_str(",\"seen\":\"");
        text.push_str(&self.seen.0);
        text.push('"');
        write_list(text, "answers", &self.answers);
        if let Some(claim) = &self.claim {
            text.push_str(",\"claim\":{\"by\":");
            write_string(text, &claim.by);
            text.push_str(",\"beat\":");
            push_number(text, claim.beat);
            text.push('}');
        }
        write_list(text, "inbox", &self.inbox);
        if !self.outbox.is_empty() {
            text.push_str(",\"outbox\":[");
            for (index, entry) in self.outbox.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                text.push_str("{\"id\":");
                write_string(text, entry.id.as_str());
                text.push_str(",\"activity\":");
                text.push_str(&entry.activity);
                if entry.is_doubtful {
                    text.push_str(",\"doubtful\":true");
                }
                if entry.is_kept {
                    text.push_str(",\"kept\":true");
                }
                text.push('}');
            }
            text.push(']');
        }
        write_list(text, "sent", &self.sent);
        write_list(text, "parked", &self.parked);
        write_list(text, "timers", &self.timers);
        if let Some(prepared) = &self.prepared {
            text.push_str(",\"prepared\":");
            push_json(text, prepared);
        }
        write_list(text, "decided", &self.decided);
        if let Some(expires) = &self.expires {
            text.push_str(",\"expires\":");
            push_json(text, expires);
        }
        if !self.extra.is_empty() {
            text.push(',');
            self.extra.write_members(text);
        }
        text.push('}');
    }

    /// From when on others should look at this document.
    #[must_use]
    pub fn due(&self) -> Option<Timestamp> {
        self.waits_until().or(self.expires)
    }

    /// When something in this document is to be seen to, if anything is.
    pub(crate) fn waits_until(&self) -> Option<Timestamp> {
        if self.is_at_work() {
            return Some(if self.claim.is_some() { Self::CLAIMED } else { Self::UNCLAIMED });
        }
        let is_unfinished = self.prepared.is_some() || !self.decided.is_empty();
        let timers = || self.timers.iter().map(|timer| timer.at).min();
        is_unfinished.then_some(Self::CLAIMED).or_else(timers)
    }

    /// Whether somebody is to run or to deliver something here.
    pub(crate) fn is_at_work(&self) -> bool {
        !self.outbox.is_empty() || !self.inbox.is_empty()
    }

    /// Whether a turn was acknowledged and has not ended.
    #[must_use]
    pub fn is_accepted(&self, turn: TurnId) -> bool {
        let is_it = |id: &String| id == turn.as_str();
        self.inbox.iter().any(|accepted| accepted.ids.iter().any(is_it))
    }

    /// About how many bytes the ledger takes as JSON.
    pub(crate) fn bytes(&self) -> usize {
        let size = |raw: &Raw| raw.as_str().len() + 64;
        let outbox: usize = self.outbox.iter().map(|entry| entry.activity.len() + 64).sum();
        let parked: usize = self.parked.iter().map(|parked| size(&parked.activity)).sum();
        let timers: usize = self.timers.iter().map(|timer| size(&timer.activity)).sum();
        let answers: usize = self.answers.iter().flat_map(|answer| &answer.replies).map(size).sum();
        let prepared = self.prepared.as_ref().map_or(0, |prepared| size(&prepared.bag));
        let inbox: usize = self.inbox.iter().map(|accepted| size(&accepted.activity)).sum();
        let sent: usize =
            self.sent.iter().map(|(id, name)| id.as_str().len() + name.len() + 8).sum();
        256 + prepared + sent + inbox + self.seen.0.len() + outbox + parked + timers + answers
    }

    /// The recorded answer of a turn, where it had one and it is still kept.
    #[must_use]
    pub fn answer(&self, turn: TurnId) -> Option<&Arc<Recorded>> {
        self.answers.iter().find(|answer| answer.id == turn.as_str())
    }
}

impl Seen {
    fn parse(text: String) -> Result<Self, String> {
        // Anything else than the alphabet of ids could not be written back between quotes. No early
        // end: so it is a vector loop.
        let is_of_ids = text.bytes().fold(true, |is_of_ids, byte| {
            is_of_ids & (byte.is_ascii_alphanumeric() | (byte == b'-') | (byte == b'_'))
        });
        if !text.len().is_multiple_of(TURN_ID_CHARS) || !is_of_ids {
            return Err("$sayso.seen is not a list of turn ids".to_owned());
        }
        Ok(Self(text))
    }

    /// Whether the turn is among the last ones.
    #[must_use]
    pub fn contains(&self, turn: TurnId) -> bool {
        // Whole ids of fixed width: one comparison of 16 bytes each.
        let (ids, _) = self.0.as_bytes().as_chunks::<TURN_ID_CHARS>();
        ids.contains(turn.as_bytes())
    }

    /// Adds a turn and forgets the oldest beyond `most`.
    pub(crate) fn push(&mut self, turn: TurnId, most: usize) {
        // Forgetting first keeps the text within its capacity.
        let over = (self.len() + 1).saturating_sub(most).min(self.len());
        self.0.drain(..over * TURN_ID_CHARS);
        if self.0.is_empty() {
            // Most conversations have some more.
            self.0.reserve(4 * TURN_ID_CHARS);
        }
        self.0.push_str(turn.as_str());
    }

    /// How many turns are remembered.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len() / TURN_ID_CHARS
    }

    /// Whether no turn is remembered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn take<T: DeserializeOwned + Default>(members: &mut Bag, name: &str) -> Result<T, String> {
    let Some(raw) = members.remove(name) else { return Ok(T::default()) };
    raw.get().map_err(|_| format!("$sayso.{name} does not have the shape it was written with"))
}

fn write_list<T: Serialize>(text: &mut String, name: &str, list: &[T]) {
    if !list.is_empty() {
        text.extend([",\"", name, "\":"]);
        push_json(text, list);
    }
}

fn push_number(text: &mut String, number: u64) {
    text.push_str(itoa::Buffer::new().format(number));
}

fn push_json<T: Serialize + ?Sized>(text: &mut String, value: &T) {
    text.push_str(&serde_json::to_string(value).expect("these types are always JSON"));
}
