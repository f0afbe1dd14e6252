//! The ledger's JSON codec: version 1 of the stored format.

use std::sync::Arc;

use sayso_activity::{Raw, json::write_string};
use serde::{Serialize, de::DeserializeOwned};

use super::{Bag, Ledger, Lifetime, Participants, Seen};

/// Format version that this build writes. A document with a higher one is refused.
const FORMAT: u32 = 1;

impl Ledger {
    /// Reads a ledger, and the TTL of the document's own that is stored with it.
    pub(super) fn parse(raw: &Raw) -> Result<(Self, Option<Arc<Lifetime>>), String> {
        let mut members = Bag::from_json(raw.as_str()).map_err(|_| "$sayso is not an object")?;
        let format: u32 = take(&mut members, "v")?;
        if format > FORMAT {
            return Err(format!(
                "its format {format} is newer than this build understands ({FORMAT}); update Sayso"
            ));
        }
        let lifetime = take(&mut members, "ttl")?;
        let rev = take(&mut members, "rev")?;
        let ledger = Self {
            turn: take(&mut members, "turn")?,
            rev,
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
            held: take(&mut members, "held")?,
            steps: take(&mut members, "steps")?,
            participants: Participants::stored(take(&mut members, "participants")?, rev),
            extra: members,
        };
        Ok((ledger, lifetime))
    }

    /// Makes the ledger of a document that another SDK wrote.
    pub(super) fn of_another_sdk() -> Self {
        Self { participants: Participants::stored(None, 0), ..Self::default() }
    }

    pub(super) fn write(&self, lifetime: Option<&Arc<Lifetime>>, text: &mut String) {
        text.push_str("{\"v\":");
        push_number(text, FORMAT.into());
        text.push_str(",\"turn\":");
        push_number(text, self.turn);
        text.push_str(",\"rev\":");
        push_number(text, self.rev);
        text.push_str(",\"write\":");
        write_string(text, &self.write);
        text.push_str(",\"seen\":\"");
        text.push_str(self.seen.as_str());
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
        self.write_outbox(text);
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
        if let Some(lifetime) = lifetime {
            text.push_str(",\"ttl\":");
            push_json(text, lifetime);
        }
        if let Some(held) = &self.held {
            text.push_str(",\"held\":");
            push_json(text, held);
        }
        write_list(text, "steps", &self.steps);
        if let Some(participants) = self.participants.as_json() {
            text.push_str(",\"participants\":{\"rev\":");
            push_number(text, self.rev);
            text.push_str(participants);
        }
        if !self.extra.is_empty() {
            text.push(',');
            self.extra.write_members(text);
        }
        text.push('}');
    }

    fn write_outbox(&self, text: &mut String) {
        if self.outbox.is_empty() {
            return;
        }
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
            if entry.is_once {
                text.push_str(",\"once\":true");
            }
            if let Some(until) = entry.until {
                text.push_str(",\"until\":");
                push_number(text, until.as_millis());
            }
            text.push('}');
        }
        text.push(']');
    }
}

fn take<T: DeserializeOwned + Default>(members: &mut Bag, name: &str) -> Result<T, String> {
    let Some(raw) = members.remove(name) else { return Ok(T::default()) };
    raw.get().map_err(|_| format!("$sayso.{name} does not have the shape it was written with"))
}

/// Writes a list unless it is empty. It usually is, so only the check is inlined.
#[inline]
fn write_list<T: Serialize>(text: &mut String, name: &str, list: &[T]) {
    if !list.is_empty() {
        push_list(text, name, list);
    }
}

#[inline(never)]
fn push_list<T: Serialize>(text: &mut String, name: &str, list: &[T]) {
    text.extend([",\"", name, "\":"]);
    push_json(text, list);
}

fn push_number(text: &mut String, number: u64) {
    text.push_str(itoa::Buffer::new().format(number));
}

fn push_json<T: Serialize + ?Sized>(text: &mut String, value: &T) {
    text.push_str(&serde_json::to_string(value).expect("these types are always JSON"));
}
