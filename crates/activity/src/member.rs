//! The types that a typed member can have, and how each is read.
//!
//! Errors name the member and never show its value, because a value may be what a person wrote;
//! serde's own "invalid type" would show it, so every JSON shape is taken here and refused by hand.
//! Values are written into their place rather than returned: an activity is a kilobyte, and moving
//! it through every layer of the parser took a tenth of the time to read one.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use crate::Raw;
use crate::quick::Quick;

/// A type that a member can have. Each shape it does not take is refused with the member's name.
pub(crate) trait Member<'de>: Sized {
    /// What a person should send, with its article.
    const EXPECTED: &'static str;

    /// Reads a value into its place, which is empty before, and after if the value is `null`.
    fn read<D: Deserializer<'de>>(place: Place<'_, Self>, from: D) -> Result<(), D::Error> {
        from.deserialize_any(place)
    }

    /// Reads as [`read`](Self::read) does, or not at all: see [`Quick`].
    fn quick(value: &mut Option<Self>, from: &mut Quick<'de>) -> Option<()> {
        match from.plain() {
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

/// Where a value goes, and what that place is called in errors.
pub(crate) struct Place<'a, T> {
    pub(crate) name: &'static str,
    pub(crate) value: &'a mut Option<T>,
}

/// A type that a list can hold.
pub(crate) trait Element<'de>: Member<'de> {
    /// What a `null` in the list stands for, if it may be there.
    fn of_null() -> Option<Self> {
        None
    }
}

impl<'de> Member<'de> for String {
    const EXPECTED: &'static str = "a string";

    fn read_str<E: Error>(place: Place<'_, Self>, text: &str) -> Result<(), E> {
        *place.value = Some(text.to_owned());
        Ok(())
    }
}

impl Element<'_> for String {}

impl<'de> Member<'de> for bool {
    const EXPECTED: &'static str = "true or false";

    fn read_bool<E: Error>(place: Place<'_, Self>, flag: bool) -> Result<(), E> {
        *place.value = Some(flag);
        Ok(())
    }
}

impl<'de> Member<'de> for Raw {
    const EXPECTED: &'static str = "a value";

    fn read<D: Deserializer<'de>>(place: Place<'_, Self>, from: D) -> Result<(), D::Error> {
        let raw: Self = serde::Deserialize::deserialize(from)?;
        *place.value = if raw.is_null() { None } else { Some(raw) };
        Ok(())
    }

    fn quick(value: &mut Option<Self>, from: &mut Quick<'de>) -> Option<()> {
        from.value(value)
    }
}

impl Element<'_> for Raw {
    fn of_null() -> Option<Self> {
        Some(Self::null())
    }
}

impl<'de, T: Element<'de>> Member<'de> for Vec<T> {
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
        T: Member<'de>,
    {
        E::custom(format_args!("{}: expected {}", self.name, T::EXPECTED))
    }
}

impl<'de, T: Member<'de>> DeserializeSeed<'de> for Place<'_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        T::read(self, from)
    }
}

impl<'de, T: Member<'de>> Visitor<'de> for Place<'_, T> {
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
