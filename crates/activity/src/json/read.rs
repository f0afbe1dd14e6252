//! Readers of typed members: strings, flags, lists and objects, deserialised in place.
//!
//! Errors name the member and never show its value, because a value may be what a person wrote.
//! Serde's own "invalid type" would show it, so every JSON type is accepted here and refused by
//! hand. Values are written into their place rather than returned: an activity is a kilobyte, and
//! moving it through every layer of the parser took a tenth of the time to read one.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use crate::Raw;
use crate::json::fast_path::FastReader;

/// A type that a member can have. JSON of any other type is refused with the member's name.
pub(crate) trait ReadJson<'de>: Sized {
    /// The type that a sender should use, with its article, for errors.
    const EXPECTED: &'static str;

    /// Reads a value into its place, which is empty before, and after if the value is `null`.
    fn read<D: Deserializer<'de>>(place: Place<'_, Self>, from: D) -> Result<(), D::Error> {
        from.deserialize_any(place)
    }

    /// Reads as [`read`](Self::read) does, or gives up: see [`FastReader`].
    fn read_fast(value: &mut Option<Self>, from: &mut FastReader<'de>) -> Option<()> {
        match from.plain_string() {
            Some(text) => {
                let place = Place { name: "", value };
                Self::read_str::<serde::de::value::Error>(place, text).ok()
            }
            None => from.value(value),
        }
    }

    fn read_str<E: Error>(place: Place<'_, Self>, _: &str) -> Result<(), E> {
        Err(place.refused())
    }

    fn read_bool<E: Error>(place: Place<'_, Self>, _: bool) -> Result<(), E> {
        Err(place.refused())
    }

    fn read_list<A: SeqAccess<'de>>(place: Place<'_, Self>, _: A) -> Result<(), A::Error> {
        Err(place.refused())
    }

    fn read_object<A: MapAccess<'de>>(place: Place<'_, Self>, _: A) -> Result<(), A::Error> {
        Err(place.refused())
    }
}

/// The place that a value is read into, with its name for errors.
pub(crate) struct Place<'a, T> {
    pub(crate) name: &'static str,
    pub(crate) value: &'a mut Option<T>,
}

/// A type that the items of a list can have.
pub(crate) trait Element<'de>: ReadJson<'de> {
    /// The item that a `null` in the list stands for; `None` if a list must not hold `null`.
    fn of_null() -> Option<Self> {
        None
    }
}

impl<'de> ReadJson<'de> for String {
    const EXPECTED: &'static str = "a string";

    fn read_str<E: Error>(place: Place<'_, Self>, text: &str) -> Result<(), E> {
        *place.value = Some(text.to_owned());
        Ok(())
    }
}

impl Element<'_> for String {}

impl<'de> ReadJson<'de> for bool {
    const EXPECTED: &'static str = "true or false";

    fn read_bool<E: Error>(place: Place<'_, Self>, flag: bool) -> Result<(), E> {
        *place.value = Some(flag);
        Ok(())
    }
}

impl<'de> ReadJson<'de> for Raw {
    const EXPECTED: &'static str = "a value";

    fn read<D: Deserializer<'de>>(place: Place<'_, Self>, from: D) -> Result<(), D::Error> {
        let raw: Self = Deserialize::deserialize(from)?;
        *place.value = if raw.is_null() { None } else { Some(raw) };
        Ok(())
    }

    fn read_fast(value: &mut Option<Self>, from: &mut FastReader<'de>) -> Option<()> {
        from.value(value)
    }
}

impl Element<'_> for Raw {
    fn of_null() -> Option<Self> {
        Some(Self::null())
    }
}

impl<'de, T: Element<'de>> ReadJson<'de> for Vec<T> {
    const EXPECTED: &'static str = "a list";

    fn read_list<A: SeqAccess<'de>>(place: Place<'_, Self>, mut seq: A) -> Result<(), A::Error> {
        let Place { name, value: list } = place;
        let list = list.insert(Self::new());
        let mut item = None;
        while seq.next_element_seed(Place { name, value: &mut item })?.is_some() {
            let Some(item) = item.take().or_else(T::of_null) else {
                let expected = T::EXPECTED;
                return Err(Error::custom(format_args!("{name}: expected {expected} in the list")));
            };
            list.push(item);
        }
        Ok(())
    }
}

impl<T> Place<'_, T> {
    /// The error for a value of the wrong JSON type.
    #[cold]
    pub(crate) fn refused<'de, E: Error>(self) -> E
    where
        T: ReadJson<'de>,
    {
        E::custom(format_args!("{}: expected {}", self.name, T::EXPECTED))
    }
}

impl<'de, T: ReadJson<'de>> DeserializeSeed<'de> for Place<'_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        T::read(self, from)
    }
}

impl<'de, T: ReadJson<'de>> Visitor<'de> for Place<'_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::EXPECTED)
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<(), E> {
        T::read_bool(self, flag)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        Err(self.refused())
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<(), E> {
        Err(self.refused())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        Err(self.refused())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        T::read_str(self, text)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<(), A::Error> {
        T::read_list(self, seq)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        T::read_object(self, map)
    }
}

/// Reads a whole text into a place: an activity is a kilobyte, and this spares a copy. Returns
/// false when the fast path gives up; the text may still be valid.
pub(crate) fn read_fast<'de, T: ReadJson<'de>>(value: &mut Option<T>, text: &'de str) -> bool {
    let mut from = FastReader::new(text);
    T::read_fast(value, &mut from).is_some() && from.is_at_end() && value.is_some()
}

impl<'de> FastReader<'de> {
    /// Has `serde_json` read a typed value.
    pub(crate) fn value<T: ReadJson<'de>>(&mut self, value: &mut Option<T>) -> Option<()> {
        let Nullable(read, _) = self.stream()?;
        *value = read;
        Some(())
    }
}

/// The value of a member, `None` for `null`.
struct Nullable<'de, T>(Option<T>, PhantomData<&'de ()>);

impl<'de, T: ReadJson<'de>> Deserialize<'de> for Nullable<'de, T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let mut value = None;
        // The name is for errors, which this path drops.
        Place { name: "", value: &mut value }.deserialize(from)?;
        Ok(Self(value, PhantomData))
    }
}
