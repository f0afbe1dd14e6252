//! Serde helper for a JSON value that is kept as text.

use sayso_activity::Raw;
use serde::{Deserialize, Deserializer, Serialize, Serializer, ser::Error};

pub(super) fn serialize<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    Raw::from_text(text.to_owned()).map_err(S::Error::custom)?.serialize(serializer)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    Raw::deserialize(from).map(|raw| raw.as_str().to_owned())
}
