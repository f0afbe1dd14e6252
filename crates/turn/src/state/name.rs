//! Name of the property that a type is kept as.
//!
//! A [`BotState`](crate::BotState) may have a fixed name. State is any type that serde can read, so
//! no bound tells; but a type says so when it is asked to read itself, before it reads anything.

use std::any::type_name;

use serde::de::DeserializeOwned;

use crate::versioned;

/// Name of the property of `T`; `None` if the type has no name of its own.
pub(super) fn name_of<T: DeserializeOwned>() -> Option<&'static str> {
    let path = type_name::<T>();
    // A container of the standard library, a text, a tuple: every bot has many of them.
    let is_std = ["alloc::", "std::", "core::"].iter().any(|root| path.starts_with(root));
    if is_std || path.starts_with(['(', '[', '&']) {
        return None;
    }
    let plain = path.split('<').next().unwrap_or(path);
    Some(versioned::fixed_name::<T>().unwrap_or_else(|| plain.rsplit(':').next().unwrap_or(plain)))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Serialize};

    use super::*;

    #[derive(Default, Serialize, Deserialize)]
    struct Plain(u8);

    #[derive(Default, Serialize, Deserialize)]
    struct Generic<T>(T);

    mod fixed {
        use crate::BotState;

        #[derive(Default)]
        pub(super) struct Order;

        impl BotState for Order {
            const NAME: &'static str = "order";
            const FIXED_NAME: Option<&'static str> = Some("order");
            const VERSION: u32 = 1;
            const IS_WRAPPED: bool = false;

            fn upcast(
                _: u32,
                value: serde_json::Value,
            ) -> Result<serde_json::Value, crate::BotError> {
                Ok(value)
            }

            fn write_fields<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_unit()
            }

            fn read_fields<'de, D: serde::Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
                Ok(Self)
            }
        }

        impl serde::Serialize for Order {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                crate::versioned::private::write(self, to)
            }
        }

        impl<'de> serde::Deserialize<'de> for Order {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                crate::versioned::private::read(from)
            }
        }

        #[derive(Default, serde::Serialize, serde::Deserialize)]
        #[serde(transparent)]
        pub(super) struct Wrapper(pub(super) Order);
    }

    #[test]
    fn a_type_goes_by_its_fixed_name_or_its_own_and_a_container_by_none() {
        assert_eq!(name_of::<Plain>(), Some("Plain"));
        assert_eq!(name_of::<Generic<Vec<u8>>>(), Some("Generic"));
        assert_eq!(name_of::<fixed::Order>(), Some("order"));
        assert_eq!(name_of::<fixed::Wrapper>(), Some("Wrapper"), "not by the name of its part");
        assert_eq!(name_of::<Plain>(), Some("Plain"), "nor by the name of another");
        assert_eq!(name_of::<serde_json::Value>(), Some("Value"));
        assert_eq!(name_of::<Vec<Plain>>(), None);
        assert_eq!(name_of::<Option<fixed::Order>>(), None);
        assert_eq!(name_of::<BTreeMap<String, u8>>(), None);
        assert_eq!(name_of::<String>(), None);
        assert_eq!(name_of::<(Plain, Plain)>(), None);
        assert_eq!(name_of::<[Plain; 2]>(), None);
        assert_eq!(name_of::<u64>(), Some("u64"));
    }
}
