//! Deserialisation of versioned state: the version is checked before anything else.
//!
//! Text written by this build has the version first and is read in one pass, directly into the
//! type. Anything else is read into a tree first: an older version, because upcasters need one, and
//! an object that starts with another member, because its version may come at the end.

use std::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor},
    forward_to_deserialize_any,
};
use serde_json::{Map, Value};

use super::{BotState, Newer, VALUE_MEMBER, VERSION_MEMBER, fixed_name};

/// Reads a value with its version.
pub fn read<'de, T: BotState, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    fixed_name::say::<T>();
    match T::IS_WRAPPED {
        true => deserializer.deserialize_any(Wrapped(PhantomData)),
        false => T::read_fields(Beside::<T, D>(deserializer, PhantomData)),
    }
}

/// Deserialiser of an object's members without the version, upcast to the current one.
struct Beside<T, D>(D, PhantomData<T>);

impl<'de, T: BotState, D: Deserializer<'de>> Deserializer<'de> for Beside<T, D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(Members::<T, V>(visitor, PhantomData))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier
        ignored_any
    }
}

struct Members<T, V>(V, PhantomData<T>);

impl<'de, T: BotState, V: Visitor<'de>> Visitor<'de> for Members<T, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<V::Value, A::Error> {
        let first = map.next_key::<Member>()?;
        if let Some(Member::Version) = first {
            let version = checked::<T, _>(&map.next_value()?)?;
            if version == T::VERSION {
                return self.0.visit_map(map);
            }
            let next = map.next_key()?;
            let fields = Value::Object(rest(map, next)?);
            return current::<T, _>(version, fields)?
                .deserialize_any(self.0)
                .map_err(A::Error::custom);
        }
        let mut fields = rest(map, first)?;
        let version = taken_out::<T, _>(&mut fields)?.unwrap_or(1);
        let fields = current::<T, _>(version, Value::Object(fields))?;
        fields.deserialize_any(self.0).map_err(A::Error::custom)
    }
}

/// Visitor for a value in its wrapper, or a plain one that was stored before the type had versions.
struct Wrapped<T>(PhantomData<T>);

impl<T: BotState> Wrapped<T> {
    fn plain<E: Error>(value: Value) -> Result<T, E> {
        T::read_fields(current::<T, E>(1, value)?).map_err(E::custom)
    }
}

impl<'de, T: BotState> Visitor<'de> for Wrapped<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} with its version", T::NAME)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<T, A::Error> {
        let first = map.next_key::<Member>()?;
        let (version, mut members) = match first {
            Some(Member::Version) => {
                let version = checked::<T, _>(&map.next_value()?)?;
                match map.next_key::<Member>()? {
                    Some(Member::Other(name)) if version == T::VERSION && name == VALUE_MEMBER => {
                        let value = map.next_value_seed(Inside(PhantomData))?;
                        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                        return Ok(value);
                    }
                    second => (Some(version), rest(map, second)?),
                }
            }
            other => {
                let mut members = rest(map, other)?;
                (taken_out::<T, _>(&mut members)?, members)
            }
        };
        let Some(version) = version else { return Self::plain(Value::Object(members)) };
        let value = members.remove(VALUE_MEMBER);
        let value = value.ok_or_else(|| A::Error::missing_field(VALUE_MEMBER))?;
        T::read_fields(current::<T, _>(version, value)?).map_err(A::Error::custom)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<T, E> {
        Self::plain(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<T, E> {
        Self::plain(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<T, E> {
        Self::plain(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<T, E> {
        Self::plain(value.into())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<T, E> {
        Self::plain(value.into())
    }

    fn visit_unit<E: Error>(self) -> Result<T, E> {
        Self::plain(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<T, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = seq.next_element()? {
            values.push(value);
        }
        Self::plain(Value::Array(values))
    }
}

/// Seed for the value inside a wrapper of the current version.
struct Inside<T>(PhantomData<T>);

impl<'de, T: BotState> DeserializeSeed<'de> for Inside<T> {
    type Value = T;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        T::read_fields(deserializer)
    }
}

/// The name of a member.
enum Member {
    Version,
    Other(String),
}

impl<'de> Deserialize<'de> for Member {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(MemberName)
    }
}

struct MemberName;

impl Visitor<'_> for MemberName {
    type Value = Member;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a member")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Member, E> {
        Ok(match name {
            VERSION_MEMBER => Member::Version,
            other => Member::Other(other.to_owned()),
        })
    }
}

/// Reads the rest of an object, after the name of its next member.
fn rest<'de, A: MapAccess<'de>>(
    mut map: A,
    mut next: Option<Member>,
) -> Result<Map<String, Value>, A::Error> {
    let mut members = Map::new();
    while let Some(member) = next {
        let name = match member {
            Member::Version => VERSION_MEMBER.to_owned(),
            Member::Other(name) => name,
        };
        drop(members.insert(name, map.next_value()?));
        next = map.next_key()?;
    }
    Ok(members)
}

/// Removes the version from an object, if it has one.
fn taken_out<T: BotState, E: Error>(members: &mut Map<String, Value>) -> Result<Option<u32>, E> {
    let Some(version) = members.remove(VERSION_MEMBER) else { return Ok(None) };
    checked::<T, E>(&version).map(Some)
}

/// Validates a version; an error if it is newer than this build.
fn checked<T: BotState, E: Error>(version: &Value) -> Result<u32, E> {
    let Some(number) = version.as_u64().filter(|number| *number > 0) else {
        let message = format!("the `{VERSION_MEMBER}` of {} is not a whole number from 1", T::NAME);
        return Err(E::custom(message));
    };
    match u32::try_from(number) {
        Ok(known) if known <= T::VERSION => Ok(known),
        _ => Err(E::custom(Newer::met::<T>(number))),
    }
}

/// Upcasts a value to the current version.
fn current<T: BotState, E: Error>(version: u32, mut value: Value) -> Result<Value, E> {
    for from in version..T::VERSION {
        value = T::upcast(from, value).map_err(|error| {
            let to = from + 1;
            E::custom(format!("{} cannot be brought from version {from} to {to}: {error}", T::NAME))
        })?;
    }
    Ok(value)
}
