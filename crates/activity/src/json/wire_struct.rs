//! Macro that defines a wire type with its reader and writer, so that all keep the same promises.
//!
//! It does without serde's derive because `#[serde(flatten)]` buffers every member in a tree first,
//! which costs time and cannot keep the text of a value.

use serde::de::Error;

/// The error for a member that must be there.
#[cold]
pub(crate) fn missing<E: Error>(name: &'static str) -> E {
    E::custom(format_args!("{name}: missing"))
}

/// The error for a member that stands twice in the wire type `label`.
///
/// The name is shown only when it looks like a name: it is the sender's, and ends up in a log.
#[cold]
pub(crate) fn repeated<E: Error>(label: &'static str, name: &str) -> E {
    let is_plain = name.len() <= 40 && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    match is_plain {
        true => E::custom(format_args!("{label}.{name}: given twice")),
        false => E::custom(format_args!("{label}: a member is given twice")),
    }
}

/// Defines a wire type from its label in errors and its members.
///
/// `required` members are plain fields and must be there; `optional` ones are `Option`s. The macro
/// adds the field `extra`.
macro_rules! wire_struct {
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

            // `read::Place` by its path: one of the wire types is called `Place`, too.
            use $crate::json::fast_path::FastReader;
            use $crate::json::read::{self, Element, ReadJson};
            use $crate::json::wire_struct;
            use $crate::json::write::{ObjectText, WriteJson};

            #[allow(non_camel_case_types, reason = "the variants are named for the fields")]
            #[derive(Clone, Copy)]
            enum Field { $( $must, )* $( $may, )* }

            /// The typed members by name, quoted as in a text and in their usual order.
            const FIELDS: &[(&str, Field)] = &[
                $( (concat!("\"", $must_name, "\":"), Field::$must), )*
                $( (concat!("\"", $may_name, "\":"), Field::$may), )*
            ];

            impl Field {
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

            enum Name { Typed(Field), Other(Box<str>) }

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
                    Ok(Field::of(name).map_or_else(|| Name::Other(name.into()), Name::Typed))
                }
            }

            impl<'de> ReadJson<'de> for $Type {
                const EXPECTED: &'static str = "an object";

                fn read_fast(value: &mut Option<Self>, from: &mut FastReader<'de>) -> Option<()> {
                    if !from.eat(b'{') {
                        return from.value(value);
                    }
                    let object = value.insert(Self::default());
                    let mut seen = 0_u64;
                    let mut next = 0;
                    let mut has_more = !from.eat(b'}');
                    while has_more {
                        let left = FIELDS.get(next..).unwrap_or_default();
                        let field = match from.expected_member(left) {
                            Some(field) => field,
                            None => {
                                let name = from.name()?;
                                let Some(field) = Field::of(name) else {
                                    object.extra.push(name.into(), from.raw()?);
                                    has_more = from.has_next_member()?;
                                    continue;
                                };
                                field
                            }
                        };
                        next = field as usize + 1;
                        let bit = 1_u64 << (field as u32);
                        if seen & bit != 0 {
                            return None;
                        }
                        seen |= bit;
                        match field {
                            $( Field::$must => {
                                let mut value = None;
                                <$Must>::read_fast(&mut value, from)?;
                                object.$must = value?;
                            } )*
                            $( Field::$may => {
                                <$May>::read_fast(&mut object.$may, from)?;
                                if object.$may.is_none() {
                                    object.extra.push($may_name.into(), $crate::Raw::null());
                                }
                            } )*
                        }
                        has_more = from.has_next_member()?;
                    }
                    $( if seen & (1_u64 << (Field::$must as u32)) == 0 {
                        return None;
                    } )*
                    object.extra.repeated().is_none().then_some(())
                }

                fn read_object<A: MapAccess<'de>>(
                    place: read::Place<'_, Self>,
                    mut map: A,
                ) -> Result<(), A::Error> {
                    let object = place.value.insert(Self::default());
                    let mut seen = 0_u64;
                    while let Some(name) = map.next_key_seed(ReadName)? {
                        let field = match name {
                            Name::Typed(field) => field,
                            Name::Other(name) => {
                                object.extra.push(name, map.next_value()?);
                                continue;
                            }
                        };
                        let bit = 1_u64 << (field as u32);
                        if seen & bit != 0 {
                            return Err(wire_struct::repeated($label, field.name()));
                        }
                        seen |= bit;
                        match field {
                            $( Field::$must => {
                                let mut value = None;
                                let name = concat!($label, ".", $must_name);
                                map.next_value_seed(read::Place { name, value: &mut value })?;
                                object.$must = value.ok_or_else(|| wire_struct::missing(name))?;
                            } )*
                            $( Field::$may => {
                                let value = &mut object.$may;
                                let name = concat!($label, ".", $may_name);
                                map.next_value_seed(read::Place { name, value })?;
                                if object.$may.is_none() {
                                    object.extra.push($may_name.into(), $crate::Raw::null());
                                }
                            } )*
                        }
                    }
                    $( if seen & (1_u64 << (Field::$must as u32)) == 0 {
                        return Err(wire_struct::missing(concat!($label, ".", $must_name)));
                    } )*
                    match object.extra.repeated() {
                        Some(name) => Err(wire_struct::repeated($label, name)),
                        None => Ok(()),
                    }
                }
            }

            impl Element<'_> for $Type {}

            impl<'de> serde::Deserialize<'de> for $Type {
                fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                    let mut object = None;
                    Self::read(read::Place { name: $label, value: &mut object }, from)?;
                    let is_null =
                        || read::Place { name: $label, value: &mut None::<Self> }.refused();
                    object.ok_or_else(is_null)
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

            impl WriteJson for $Type {
                fn write(&self, to: &mut String) {
                    ObjectText::write(to, |object| {
                        $( object.field(concat!("\"", $must_name, "\":"), &self.$must); )*
                        $( if let Some(value) = &self.$may {
                            object.field(concat!("\"", $may_name, "\":"), value);
                        } )*
                        object.extra(&self.extra, |name| self.is_written(name));
                    });
                }
            }

            impl $Type {
                /// Reports whether a typed field is written under this name. One that was set since
                /// parsing replaces the `null` that stood there.
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

pub(crate) use wire_struct;
