//! How the wire types are read and written: one macro, so that all of them keep the same promises.
//!
//! Hand-rolled because `#[serde(flatten)]` buffers every member in a tree first, which costs time
//! and cannot keep the text of a value.

use serde::de::Error;

/// The error for a member that must be there.
#[cold]
pub(crate) fn missing<E: Error>(name: &'static str) -> E {
    E::custom(format_args!("{name}: missing"))
}

/// The error for a member that stands twice in `record`.
///
/// The name is shown only when it looks like a name: it is the sender's, and ends up in a log.
#[cold]
pub(crate) fn repeated<E: Error>(record: &'static str, name: &str) -> E {
    let is_plain = name.len() <= 40 && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    match is_plain {
        true => E::custom(format_args!("{record}.{name}: given twice")),
        false => E::custom(format_args!("{record}: a member is given twice")),
    }
}

/// Defines a wire type from its label in errors and its members.
///
/// `required` members are plain fields and must be there; `optional` ones are `Option`s. `extra`
/// is added by itself.
macro_rules! record {
    (
        $(#[$meta:meta])*
        pub struct $Type:ident, $label:literal;
        required { $( $(#[$must_meta:meta])* $must:ident: $Must:ty = $must_name:literal, )* }
        optional { $( $(#[$may_meta:meta])* $may:ident: $May:ty = $may_name:literal, )* }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Default, PartialEq, Eq)]
        pub struct $Type {
            $( $(#[$must_meta])* pub $must: $Must, )*
            $( $(#[$may_meta])* pub $may: Option<$May>, )*
            /// All other members, as they came.
            pub extra: $crate::Extra,
        }

        const _: () = {
            use std::fmt;

            use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, Visitor};
            use serde::ser::{SerializeMap, Serializer};

            // `member::Place` by its path: one of the records is a place, too.
            use $crate::member::{self, Element, Member};
            use $crate::quick::Quick;
            use $crate::record::repeated;
            use $crate::write::{Object, Written};

            #[allow(non_camel_case_types, reason = "the variants are named for the fields")]
            #[derive(Clone, Copy)]
            enum Slot { $( $must, )* $( $may, )* }

            /// All of them as they stand in a text, in the order in which they usually do.
            const SLOTS: &[(&str, Slot)] = &[
                $( (concat!("\"", $must_name, "\":"), Slot::$must), )*
                $( (concat!("\"", $may_name, "\":"), Slot::$may), )*
            ];

            impl Slot {
                fn of(name: &str) -> Option<Self> {
                    Some(match name {
                        $( $must_name => Self::$must, )*
                        $( $may_name => Self::$may, )*
                        _ => return None,
                    })
                }

                fn name(self) -> &'static str {
                    match self {
                        $( Self::$must => $must_name, )*
                        $( Self::$may => $may_name, )*
                    }
                }
            }

            enum Name { Typed(Slot), Other(Box<str>) }

            struct ReadName;

            impl<'de> DeserializeSeed<'de> for ReadName {
                type Value = Name;

                fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Name, D::Error> {
                    from.deserialize_identifier(self)
                }
            }

            impl Visitor<'_> for ReadName {
                type Value = Name;

                fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str("a member name")
                }

                fn visit_str<E: Error>(self, name: &str) -> Result<Name, E> {
                    Ok(Slot::of(name).map_or_else(|| Name::Other(name.into()), Name::Typed))
                }
            }

            impl<'de> Member<'de> for $Type {
                const EXPECTED: &'static str = "an object";

                fn quick(value: &mut Option<Self>, from: &mut Quick<'de>) -> Option<()> {
                    if !from.takes(b'{') {
                        return from.value(value);
                    }
                    let record = value.insert(Self::default());
                    let mut seen = 0_u64;
                    let mut next = 0;
                    let mut has_more = !from.takes(b'}');
                    while has_more {
                        let slot = match from.expected(SLOTS.get(next..).unwrap_or_default()) {
                            Some(slot) => slot,
                            None => {
                                let name = from.name()?;
                                let Some(slot) = Slot::of(name) else {
                                    record.extra.push(name.into(), from.raw()?);
                                    has_more = from.goes_on()?;
                                    continue;
                                };
                                slot
                            }
                        };
                        next = slot as usize + 1;
                        let bit = 1_u64 << (slot as u32);
                        if seen & bit != 0 {
                            return None;
                        }
                        seen |= bit;
                        match slot {
                            $( Slot::$must => {
                                let mut value = None;
                                <$Must>::quick(&mut value, from)?;
                                record.$must = value?;
                            } )*
                            $( Slot::$may => {
                                <$May>::quick(&mut record.$may, from)?;
                                if record.$may.is_none() {
                                    record.extra.push($may_name.into(), $crate::Raw::null());
                                }
                            } )*
                        }
                        has_more = from.goes_on()?;
                    }
                    $( if seen & (1_u64 << (Slot::$must as u32)) == 0 {
                        return None;
                    } )*
                    record.extra.repeated().is_none().then_some(())
                }

                fn read_object<A: MapAccess<'de>>(
                    place: member::Place<'_, Self>,
                    mut map: A,
                ) -> Result<(), A::Error> {
                    let record = place.value.insert(Self::default());
                    let mut seen = 0_u64;
                    while let Some(name) = map.next_key_seed(ReadName)? {
                        let slot = match name {
                            Name::Typed(slot) => slot,
                            Name::Other(name) => {
                                record.extra.push(name, map.next_value()?);
                                continue;
                            }
                        };
                        let bit = 1_u64 << (slot as u32);
                        if seen & bit != 0 {
                            return Err(repeated($label, slot.name()));
                        }
                        seen |= bit;
                        match slot {
                            $( Slot::$must => {
                                let mut value = None;
                                let name = concat!($label, ".", $must_name);
                                map.next_value_seed(member::Place { name, value: &mut value })?;
                                record.$must = value.ok_or_else(|| $crate::record::missing(name))?;
                            } )*
                            $( Slot::$may => {
                                let value = &mut record.$may;
                                let name = concat!($label, ".", $may_name);
                                map.next_value_seed(member::Place { name, value })?;
                                if record.$may.is_none() {
                                    record.extra.push($may_name.into(), $crate::Raw::null());
                                }
                            } )*
                        }
                    }
                    $( if seen & (1_u64 << (Slot::$must as u32)) == 0 {
                        return Err($crate::record::missing(concat!($label, ".", $must_name)));
                    } )*
                    match record.extra.repeated() {
                        Some(name) => Err(repeated($label, name)),
                        None => Ok(()),
                    }
                }
            }

            impl Element<'_> for $Type {}

            impl<'de> serde::Deserialize<'de> for $Type {
                fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                    let mut record = None;
                    Self::read(member::Place { name: $label, value: &mut record }, from)?;
                    record.ok_or_else(|| member::Place { name: $label, value: &mut None::<Self> }.refused())
                }
            }

            impl serde::Serialize for $Type {
                fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                    let mut map = to.serialize_map(None)?;
                    $( map.serialize_entry($must_name, &self.$must)?; )*
                    $( if let Some(value) = &self.$may {
                        map.serialize_entry($may_name, value)?;
                    } )*
                    for (name, value) in self.extra.iter() {
                        if !self.is_written(name) {
                            map.serialize_entry(name, value)?;
                        }
                    }
                    map.end()
                }
            }

            impl Written for $Type {
                fn write(&self, to: &mut String) {
                    let mut object = Object::begin(to);
                    $( object.member(concat!("\"", $must_name, "\":"), &self.$must); )*
                    $( if let Some(value) = &self.$may {
                        object.member(concat!("\"", $may_name, "\":"), value);
                    } )*
                    object.extra(&self.extra, |name| self.is_written(name));
                    object.end();
                }
            }

            impl $Type {
                /// Whether a field is written under this name: one set since parsing replaces what
                /// stood there.
                fn is_written(&self, name: &str) -> bool {
                    match name {
                        $( $must_name => true, )*
                        $( $may_name => self.$may.is_some(), )*
                        _ => false,
                    }
                }
            }
        };
    };
}

pub(crate) use record;
