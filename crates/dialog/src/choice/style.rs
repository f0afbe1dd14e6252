//! Styles in which choices are shown.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};

/// The way in which choices are shown.
///
/// It is written as a number, as JavaScript does, and read from a number, from the name that C#
/// writes, and from what Python's `jsonpickle` makes of it.
///
/// # Example
/// ```
/// use sayso_dialog::choice::ListStyle;
///
/// assert_eq!(serde_json::to_string(&ListStyle::HeroCard)?, "5");
/// assert_eq!(serde_json::from_str::<ListStyle>(r#""heroCard""#)?, ListStyle::HeroCard);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ListStyle {
    /// Not at all: the question must name them.
    None = 0,
    /// The style that fits the channel and the choices best.
    #[default]
    Auto = 1,
    /// In the sentence: `(1) red, (2) green, or (3) blue`.
    Inline = 2,
    /// One on a line.
    List = 3,
    /// As buttons that go away when one is pressed.
    SuggestedAction = 4,
    /// As buttons on a card, which stay.
    HeroCard = 5,
}

impl ListStyle {
    /// All of them, by their numbers.
    pub const ALL: [Self; 6] =
        [Self::None, Self::Auto, Self::Inline, Self::List, Self::SuggestedAction, Self::HeroCard];

    /// The name, as C# writes it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Auto => "auto",
            Self::Inline => "inline",
            Self::List => "list",
            Self::SuggestedAction => "suggestedAction",
            Self::HeroCard => "heroCard",
        }
    }
}

impl Serialize for ListStyle {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u8(*self as u8)
    }
}

impl<'de> Deserialize<'de> for ListStyle {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(ReadStyle)
    }
}

struct ReadStyle;

impl<'de> Visitor<'de> for ReadStyle {
    type Value = ListStyle;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list style: a number from 0 to 5, or a name such as \"inline\"")
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<ListStyle, E> {
        let style = usize::try_from(number).ok().and_then(|index| ListStyle::ALL.get(index));
        style.copied().ok_or_else(|| E::custom("list style: expected a number from 0 to 5"))
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<ListStyle, E> {
        if let Ok(number) = name.parse() {
            return self.visit_u64(number);
        }
        let mut all = ListStyle::ALL.into_iter();
        let style = all.find(|style| style.name().eq_ignore_ascii_case(name));
        style.ok_or_else(|| E::custom("list style: the name is not known"))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ListStyle, A::Error> {
        let Pickled { parts } = Pickled::deserialize(MapAccessDeserializer::new(map))?;
        let style = parts.into_iter().flatten().find_map(|part| part.values.into_iter().next());
        style.ok_or_else(|| A::Error::custom("list style: expected its number in the object"))
    }
}

/// An enum as `jsonpickle` writes it: the type, then what it is made from.
#[derive(Deserialize)]
struct Pickled {
    #[serde(rename = "py/reduce", default)]
    parts: Vec<Option<Part>>,
}

#[derive(Deserialize)]
struct Part {
    #[serde(rename = "py/tuple", default)]
    values: Vec<ListStyle>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::ListStyle;

    #[test]
    fn each_style_is_read_as_any_sdk_writes_it() {
        for (number, style) in ListStyle::ALL.into_iter().enumerate() {
            assert_eq!(serde_json::to_string(&style).unwrap(), number.to_string());
            let pickled = json!({"py/reduce": [
                {"py/type": "x.ListStyle"}, {"py/tuple": [number.to_string()]}, null,
            ]});
            let quoted = [style.name().to_owned(), format!("{style:?}"), number.to_string()]
                .map(|text| json!(text));
            for stored in quoted.into_iter().chain([json!(number), pickled]) {
                let text = stored.to_string();
                assert_eq!(serde_json::from_str::<ListStyle>(&text).unwrap(), style, "{text}");
            }
        }
    }

    #[test]
    fn other_numbers_and_names_are_refused() {
        for text in ["6", "-1", "1.5", r#""secret""#, r#""""#, "null", "{}", r#""6""#] {
            let error = serde_json::from_str::<ListStyle>(text).unwrap_err().to_string();
            assert!(error.contains("list style") && !error.contains("secret"), "{error}");
        }
    }
}
