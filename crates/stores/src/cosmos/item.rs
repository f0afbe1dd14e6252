//! The item that stores a document: `{id, realId, document, due?, ttl?}`, and our own members under
//! `sayso`.
//!
//! `document` is the body as a JSON value, so that other SDKs and people can read it. A body that
//! no value gives back to the byte is kept as text beside it.

use sayso_turn::{
    Key,
    clock::Timestamp,
    store::{Error, Write},
};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use super::{
    json::{Json, Order},
    names::Names,
};

/// The largest item that Cosmos DB takes, in bytes of JSON.
pub const ITEM_BYTES_MAX: usize = 2 << 20;

/// The largest time that a number of Cosmos DB holds exactly, in milliseconds: the year 287396.
const DUE_MAX: u64 = 1 << 53;

/// The longest time to live of an item, in seconds.
const TTL_MAX: u64 = i32::MAX.unsigned_abs() as u64;

/// Members that the queries select.
pub(super) const COLUMNS: &str = "c.id, c.realId, c.due, c._etag";

/// An item as it is written.
#[derive(Debug, Serialize)]
struct Written<'a> {
    id: &'a str,
    #[serde(rename = "realId")]
    real_id: &'a str,
    document: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    due: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ttl: Option<i64>,
    sayso: Ours<'a>,
}

/// Members that no other SDK has.
#[derive(Debug, Serialize)]
struct Ours<'a> {
    /// Id of this write, by which it is recognised when its answer was lost.
    write: &'a str,
    #[serde(skip_serializing_if = "Order::is_empty")]
    order: Order,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
}

/// An item as it is read.
#[derive(Debug, Deserialize)]
struct Read {
    id: String,
    #[serde(rename = "realId")]
    real_id: String,
    #[serde(default, deserialize_with = "present")]
    document: Option<Box<RawValue>>,
    #[serde(default)]
    sayso: Option<Marks>,
    #[serde(rename = "_etag")]
    etag: String,
}

#[derive(Debug, Deserialize)]
struct Marks {
    write: String,
    #[serde(default)]
    order: Order,
    #[serde(default)]
    text: Option<String>,
}

/// An item that was read and checked.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) id: String,
    pub(super) body: String,
    pub(super) etag: String,
    /// Id of the write that made it; none when another SDK did.
    pub(super) write: Option<String>,
}

/// A row of a query's result. Members of an unexpected form count as absent.
#[derive(Debug, Deserialize)]
pub(super) struct Row {
    pub(super) id: String,
    #[serde(rename = "realId", default, deserialize_with = "lenient")]
    pub(super) real_id: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) due: Option<f64>,
    #[serde(rename = "_etag", default, deserialize_with = "lenient")]
    pub(super) etag: Option<String>,
}

impl Row {
    /// The time from which the document is due.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a cast saturates, and what we wrote is a small whole number"
    )]
    pub(super) fn due(&self) -> Option<Timestamp> {
        self.due.map(|millis| Timestamp::from_millis(millis as u64))
    }
}

/// The number that stands for a time.
pub(super) fn due_number(time: Timestamp) -> u64 {
    time.as_millis().min(DUE_MAX)
}

/// Serializes the item of a write as JSON.
///
/// `lasts` says that the container forgets items by default, which this one must not follow.
pub(super) fn write(
    names: Names,
    id: &str,
    write: &Write,
    write_id: &str,
    lasts: bool,
    now: Timestamp,
) -> Result<Box<RawValue>, &'static str> {
    let value = Json::parse(&write.body);
    let is_exact = value.as_ref().is_some_and(|value| value.gives(&write.body));
    if value.is_none() && !names.is_ours() {
        return Err("the document is not JSON that Cosmos DB takes (127 levels at most), so the \
                    other SDK could not read it");
    }
    // Of ours one form is enough. What another SDK reads must be a value in any case.
    let is_value = is_exact || !names.is_ours();
    let document = is_value.then(|| serde_json::from_str(&write.body).ok()).flatten();
    let order = value.filter(|_| is_exact).map(|value| value.order());
    let item = Written {
        id,
        real_id: &names.real_id(&write.key),
        document,
        due: write.due.map(due_number),
        ttl: ttl(write.expires, lasts, now),
        sayso: Ours {
            write: write_id,
            order: order.unwrap_or_default(),
            text: Some(write.body.as_str()).filter(|_| !is_exact),
        },
    };
    let text = serde_json::to_string(&item).expect("an item can be printed");
    Ok(RawValue::from_string(text).expect("what was printed is JSON"))
}

/// Time to live in seconds. Cosmos DB counts it from the whole second of the write, so the time
/// until then is counted from that second, too: no item expires early.
fn ttl(expires: Option<Timestamp>, lasts: bool, now: Timestamp) -> Option<i64> {
    let Some(expires) = expires else { return lasts.then_some(-1) };
    let seconds = expires.as_millis().div_ceil(1000).saturating_sub(now.as_millis() / 1000);
    i64::try_from(seconds.clamp(1, TTL_MAX)).ok()
}

/// Parses an item and checks that it is the document of this key.
pub(super) fn read(names: Names, key: &Key, text: &[u8]) -> Result<Item, Error> {
    let corrupt = |reason: &str| Error::Corrupt { key: key.clone(), reason: reason.to_owned() };
    // What the parser says may quote what is stored: users' words.
    let item: Read = serde_json::from_slice(text).map_err(|_| {
        corrupt("the item is not one of ours or of a bot SDK: those have the members id, realId and document")
    })?;
    if names.real_id(key) != item.real_id {
        return Err(corrupt("the item holds the document of another key (its realId differs)"));
    }
    let Read { id, document, sayso, etag, .. } = item;
    let (write, body) = match (sayso, document) {
        (Some(Marks { write, text: Some(text), .. }), _) => (Some(write), text),
        (_, None) => return Err(corrupt("the item has no member document")),
        // Another SDK wrote it: the text is what Cosmos made of it.
        (None, Some(raw)) => (None, raw.get().to_owned()),
        (Some(marks), Some(raw)) => {
            let value = Json::parse(raw.get());
            let mut value = value.ok_or_else(|| corrupt("its member document cannot be read"))?;
            value.arrange(&marks.order);
            (Some(marks.write), value.print())
        }
    };
    Ok(Item { id, body, etag, write })
}

/// Tells a member that is `null` from one that is absent.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::<RawValue>::deserialize(deserializer).map(Some)
}

/// Reads a member of the wrong type as absent.
fn lenient<'de, D: Deserializer<'de>, T: serde::de::DeserializeOwned>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    let raw = Box::<RawValue>::deserialize(deserializer)?;
    Ok(serde_json::from_str(raw.get()).ok())
}

#[cfg(test)]
mod tests;
