//! Lossless JSON: Cosmos DB keeps values, not text; this restores the very text that was saved.
//!
//! Cosmos keeps values, not text. White space is lost, a number is a double, and nobody promises
//! the order of members. So a text is stored as a value only if the value, printed here, gives the
//! text again; where members do not stand in the order of their names, a note of their order goes
//! with it.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error as _, MapAccess, SeqAccess, Visitor},
};

/// The end of the integers that a double holds exactly.
const SAFE: f64 = 9_007_199_254_740_992.0;

/// A JSON value that keeps the order of members. No object has two members of one name.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Json {
    Null,
    Bool(bool),
    /// As Cosmos has them: doubles.
    Number(f64),
    Text(String),
    List(Vec<Self>),
    Object(Vec<(String, Self)>),
}

/// The order of the members, for each object where it is not that of their names: the object's
/// number, and then for its members by name the place where each stands. Objects are counted from
/// the outside in, members by name.
pub(super) type Order = Vec<Vec<usize>>;

impl Json {
    /// Parses a text; `None` when it is not JSON, is nested deeper than Cosmos DB takes, or names a
    /// member twice.
    pub(super) fn parse(text: &str) -> Option<Self> {
        // The parser's own limit is 127 levels, and so is that of Cosmos below `document`.
        serde_json::from_str(text).ok()
    }

    /// Prints the canonical text of this value: compact, members in their order, numbers in their
    /// shortest form.
    pub(super) fn print(&self) -> String {
        serde_json::to_string(self).expect("a JSON value can be printed")
    }

    /// True if this value round-trips: Cosmos DB keeps it such that it prints as this text again,
    /// in any version of this program.
    pub(super) fn gives(&self, text: &str) -> bool {
        self.is_plain() && self.print() == text
    }

    /// True if no number needs an exponent, whose notation differs between printers.
    fn is_plain(&self) -> bool {
        match self {
            Self::Null | Self::Bool(_) | Self::Text(_) => true,
            Self::Number(value) => *value == 0.0 || (1e-5..=SAFE).contains(&value.abs()),
            Self::List(items) => items.iter().all(Self::is_plain),
            Self::Object(members) => members.iter().all(|(_, value)| value.is_plain()),
        }
    }

    /// The order of the members, as [`arrange`](Self::arrange) restores it.
    pub(super) fn order(&self) -> Order {
        let (mut count, mut order) = (0, Order::new());
        self.note(&mut count, &mut order);
        order
    }

    fn note(&self, count: &mut usize, order: &mut Order) {
        match self {
            Self::List(items) => items.iter().for_each(|item| item.note(count, order)),
            Self::Object(members) => {
                let mut by_name: Vec<_> = members.iter().enumerate().collect();
                by_name.sort_by(|(_, (one, _)), (_, (other, _))| one.cmp(other));
                let places: Vec<usize> = by_name.iter().map(|(place, _)| *place).collect();
                if !places.is_sorted() {
                    order.push([&[*count], places.as_slice()].concat());
                }
                *count += 1;
                by_name.iter().for_each(|(_, (_, value))| value.note(count, order));
            }
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::Text(_) => {}
        }
    }

    /// Puts the members back into the order that was noted, whatever order they are in now. A note
    /// that does not fit, as somebody changed the value, is left aside: it says nothing about
    /// values.
    pub(super) fn arrange(&mut self, order: &Order) {
        let mut notes = order.iter().map(Vec::as_slice).peekable();
        self.restore(&mut 0, &mut notes);
    }

    fn restore<'a>(
        &mut self,
        count: &mut usize,
        notes: &mut std::iter::Peekable<impl Iterator<Item = &'a [usize]>>,
    ) {
        match self {
            Self::List(items) => items.iter_mut().for_each(|item| item.restore(count, notes)),
            Self::Object(members) => {
                members.sort_by(|(one, _), (other, _)| one.cmp(other));
                let note = notes.next_if(|note| note.first() == Some(count));
                *count += 1;
                for (_, value) in members.iter_mut() {
                    value.restore(count, notes);
                }
                if let Some([_, places @ ..]) = note
                    && is_permutation(places, members.len())
                {
                    let mut placed: Vec<_> = places.iter().zip(std::mem::take(members)).collect();
                    placed.sort_by_key(|(place, _)| **place);
                    *members = placed.into_iter().map(|(_, member)| member).collect();
                }
            }
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::Text(_) => {}
        }
    }
}

fn is_permutation(places: &[usize], length: usize) -> bool {
    let mut sorted = places.to_vec();
    sorted.sort_unstable();
    sorted.into_iter().eq(0..length)
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            #[expect(clippy::cast_possible_truncation, reason = "it is an integer, and small")]
            Self::Number(value) if value.fract() == 0.0 && value.abs() <= SAFE => {
                serializer.serialize_i64(*value as i64)
            }
            Self::Number(value) => serializer.serialize_f64(*value),
            Self::Text(value) => serializer.serialize_str(value),
            Self::List(items) => serializer.collect_seq(items),
            Self::Object(members) => {
                serializer.collect_map(members.iter().map(|(name, value)| (name, value)))
            }
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Values)
    }
}

struct Values;

impl<'de> Visitor<'de> for Values {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    #[expect(clippy::cast_precision_loss, reason = "this is what Cosmos does to it")]
    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Number(value as f64))
    }

    #[expect(clippy::cast_precision_loss, reason = "this is what Cosmos does to it")]
    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(Json::Number(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(Json::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Json, E> {
        Ok(Json::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Json, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Json::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut members: Vec<(String, Json)> = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        let mut names: Vec<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        if names.windows(2).any(|pair| matches!(pair, [one, other] if one == other)) {
            return Err(A::Error::custom("a member occurs twice"));
        }
        Ok(Json::Object(members))
    }
}

#[cfg(test)]
mod tests;
