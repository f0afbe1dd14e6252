//! Inputs of fixed size: inbound messages and stored documents.

use sayso_activity::Activity;
use sayso_turn::{Bag, Key};

use crate::pizza::{self, Cut, TOPPINGS};

/// Size of an inbound message as JSON, in bytes.
pub const MESSAGE_BYTES: usize = 600;

/// Number of turn ids that a document remembers: the default limit.
pub const SEEN: usize = 256;

/// Number of turn ids that a small document remembers. With the order and a reply that waits for
/// its delivery it has about 1 KiB.
pub const SEEN_SMALL: usize = 26;

/// The body of a request: the message that the conversation gets as its `number`th.
///
/// # Panics
/// When this file is wrong about sizes.
#[must_use]
pub fn message(conversation: usize, number: u64) -> String {
    let text = topping(number);
    let body = |filler: &str| {
        format!(
            r#"{{"type":"message","id":"{number:012}","timestamp":"2026-03-04T05:06:07.089Z","localTimestamp":"2026-03-04T06:06:07.089+01:00","serviceUrl":"https://channel.example/apis/","channelId":"webchat","from":{{"id":"user-{conversation:06}","name":"Ann Example","role":"user"}},"conversation":{{"id":"conversation-{conversation:06}"}},"recipient":{{"id":"pizza-bot","name":"Pizza"}},"textFormat":"plain","locale":"en-GB","text":"{text}","entities":[{{"type":"ClientCapabilities","supportsListening":true}}],"channelData":{{"clientActivityID":"{filler}"}}}}"#
        )
    };
    let missing = MESSAGE_BYTES.checked_sub(body("").len());
    let body = body(&"f".repeat(missing.expect("the message is not too large")));
    assert_eq!(body.len(), MESSAGE_BYTES, "the message has the size it claims");
    body
}

/// The same message, parsed.
///
/// # Panics
/// When it is not an activity.
#[must_use]
pub fn activity(conversation: usize, number: u64) -> Activity {
    let body = message(conversation, number);
    Activity::from_json(body.as_bytes()).expect("our message is an activity")
}

/// The `number`th message of a conversation, made from another one of it.
#[must_use]
pub fn next(sample: &Activity, number: u64) -> Activity {
    Activity {
        id: Some(format!("{number:012}")),
        text: Some(topping(number).to_owned()),
        ..sample.clone()
    }
}

/// Text of the `number`th message.
fn topping(number: u64) -> &'static str {
    let at = usize::try_from(number % TOPPINGS.len() as u64).expect("a remainder is small");
    TOPPINGS.get(at).expect("a remainder is below its divisor")
}

/// The key of a conversation's document.
///
/// # Panics
/// Never: our names are short.
#[must_use]
pub fn key(conversation: usize) -> Key {
    let id = format!("conversation-{conversation:06}");
    Key::conversation("webchat", &id).expect("our names are keys")
}

/// Picks so many conversations among so many documents: scattered as if by chance, the same every
/// time. With as many documents as conversations these are all of them.
#[must_use]
pub fn scattered(conversations: usize, documents: usize) -> Vec<usize> {
    // A prime: no number comes twice.
    const STEP: usize = 7919;
    (0..conversations).map(|conversation| conversation * STEP % documents).collect()
}

/// A stored document that has had as many turns as it can remember.
#[must_use]
pub fn document(cut: Cut) -> String {
    document_of(&pizza::state(cut), SEEN)
}

/// A small stored document that has had [`SEEN_SMALL`] turns.
#[must_use]
pub fn small_document() -> String {
    document_of(&pizza::order(), SEEN_SMALL)
}

/// A stored document with this state that has had so many turns and remembers all of them.
///
/// # Panics
/// Never: a state is an object.
#[must_use]
pub fn document_of(state: &Bag, turns: usize) -> String {
    let state = state.to_json();
    let members = state.strip_suffix('}').expect("a state is an object");
    let seen: String = (0..turns).map(|number| format!("{number:016}")).collect();
    format!(
        r#"{members},"$sayso":{{"v":1,"turn":{turns},"rev":{turns},"write":"0123456789ab.{turns}","seen":"{seen}"}}}}"#
    )
}
