//! Choices: the options of a question, their rendering, and the recognition of the answer.
//!
//! Pure functions. [`render`] makes the question for a channel, [`recognize_choices`] reads the
//! answer, [`Words`] has the small words between the choices in each language. The rules are those
//! of the Bot Framework; where its SDKs differ, or are wrong, a comment says what is done here.

mod channel;
mod find;
mod options;
mod recognize;
mod render;
mod style;
mod token;
mod words;

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde::{Deserialize, Serialize};

pub use self::channel::{Place, TITLE_CHARS_MAX};
pub use self::find::{Candidate, FindOptions, FoundValue, find_values};
pub use self::options::ChoiceOptions;
pub use self::recognize::{find_choices, recognize_choices};
pub use self::render::render;
pub use self::style::ListStyle;
pub use self::token::{TOKENS_MAX, Token, tokenize};
pub use self::words::{Words, confirm_choices};
pub use sayso_activity::CardAction;

/// An option to choose.
///
/// It is stored as the SDKs store it, and read from all their spellings: an object with names of
/// either case, or, as JavaScript bots leave it, only the text.
///
/// # Example
/// ```
/// use sayso_dialog::choice::Choice;
///
/// let choice = Choice::from("red").with_synonym("crimson");
/// assert_eq!(serde_json::to_string(&choice)?, r#"{"value":"red","synonyms":["crimson"]}"#);
/// assert_eq!(serde_json::from_str::<Choice>(r#""red""#)?, Choice::from("red"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Choice {
    /// The value that is returned when this is picked. It is also shown, unless the action has a
    /// title.
    pub value: String,
    /// The button to show for it, when it is not a plain one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<CardAction>,
    /// Other words for it. They are understood and not shown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub synonyms: Vec<String>,
}

/// The choice that was understood from an answer.
///
/// # Example
/// ```
/// use sayso_dialog::choice::FoundChoice;
///
/// let found = FoundChoice { value: "red".into(), index: 0, score: 1.0, synonym: None };
/// assert_eq!(format!("You like {found}."), "You like red.");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FoundChoice {
    /// The value of the choice.
    #[serde(alias = "Value")]
    pub value: String,
    /// Its place in the list, from 0.
    #[serde(alias = "Index")]
    pub index: usize,
    /// The quality of the match, above 0 and up to 1.
    #[serde(alias = "Score", default)]
    pub score: f64,
    /// The text of the choice that the answer matched: its value, its title or a synonym. `None`
    /// when it was picked by its number.
    #[serde(alias = "Synonym", default, skip_serializing_if = "Option::is_none")]
    pub synonym: Option<String>,
}

impl Choice {
    /// A choice by its value.
    #[must_use]
    pub fn new(value: impl Into<String>) -> Self {
        Self { value: value.into(), ..Self::default() }
    }

    /// Adds another word for it.
    #[must_use]
    pub fn with_synonym(mut self, synonym: impl Into<String>) -> Self {
        self.synonyms.push(synonym.into());
        self
    }

    /// Sets the button to show for it.
    #[must_use]
    pub fn with_action(mut self, action: CardAction) -> Self {
        self.action = Some(action);
        self
    }

    /// The text that is shown for it: the title of its action, or its value.
    #[must_use]
    pub fn title(&self) -> &str {
        self.action_title().unwrap_or(&self.value)
    }

    /// The button for it: its action with what is missing filled in, or one that says its value.
    #[must_use]
    pub fn button(&self) -> CardAction {
        let Some(action) = &self.action else {
            return CardAction::im_back(&self.value);
        };
        let mut button = action.clone();
        button.kind.get_or_insert_with(|| CardAction::IM_BACK.to_owned());
        match (self.action_title(), &action.value) {
            (Some(_), Some(_)) => button,
            (Some(title), None) => {
                let title = title.to_owned();
                button.with_value(title)
            }
            (None, Some(value)) => {
                let text = value.get::<String>().unwrap_or_else(|_| value.as_str().to_owned());
                CardAction { title: Some(text), ..button }
            }
            (None, None) => CardAction::im_back(&self.value),
        }
    }

    fn action_title(&self) -> Option<&str> {
        self.action.as_ref()?.title.as_deref().filter(|title| !title.is_empty())
    }
}

impl From<&str> for Choice {
    fn from(value: &str) -> Self {
        Self::new(value)
    }
}

impl From<String> for Choice {
    fn from(value: String) -> Self {
        Self::new(value)
    }
}

impl fmt::Display for FoundChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.value)
    }
}

impl<'de> Deserialize<'de> for Choice {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(ReadChoice)
    }
}

/// Takes both shapes by hand, because an untagged enum would buffer, and a button keeps JSON text
/// that does not survive buffering.
struct ReadChoice;

impl<'de> Visitor<'de> for ReadChoice {
    type Value = Choice;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a choice: a text, or an object with a value")
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Choice, E> {
        Ok(Choice::from(value))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Choice, A::Error> {
        let Stored { value, action, synonyms } =
            Stored::deserialize(MapAccessDeserializer::new(map))?;
        Ok(Choice {
            value: value.unwrap_or_default(),
            action,
            synonyms: synonyms.unwrap_or_default(),
        })
    }
}

/// A choice as an object. C# writes what is not set as `null`.
#[derive(Deserialize)]
struct Stored {
    #[serde(alias = "Value", default)]
    value: Option<String>,
    #[serde(alias = "Action", default)]
    action: Option<CardAction>,
    #[serde(alias = "Synonyms", default)]
    synonyms: Option<Vec<String>>,
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{CardAction, Choice, FoundChoice};

    fn read(value: Value) -> Choice {
        let from_text = serde_json::from_str(&value.to_string()).unwrap();
        let from_tree = serde_json::from_value(value).unwrap();
        assert_eq!(from_text, from_tree);
        from_text
    }

    #[test]
    fn a_choice_is_read_in_every_spelling_of_the_sdks() {
        let full = Choice::from("red")
            .with_action(CardAction::new("postBack", "Red!").with_value(1))
            .with_synonym("crimson");
        let action = json!({"type": "postBack", "title": "Red!", "value": 1});
        for (stored, expected) in [
            (json!("red"), Choice::from("red")),
            (json!({"value": "red"}), Choice::from("red")),
            (json!({"value": "red", "action": null, "synonyms": null}), Choice::from("red")),
            (json!({"$type": "Choice, X", "Value": "red", "Synonyms": []}), Choice::from("red")),
            (json!({"value": "red", "action": action, "synonyms": ["crimson"]}), full.clone()),
            (json!({"Value": "red", "Action": action, "Synonyms": ["crimson"]}), full.clone()),
        ] {
            assert_eq!(read(stored), expected);
        }
        let written = serde_json::to_value(&full).unwrap();
        assert_eq!(written, json!({"value": "red", "action": action, "synonyms": ["crimson"]}));
    }

    #[test]
    fn an_invalid_choice_is_refused_without_quoting_it() {
        for text in ["7", "[]", "null", r#"{"value":["secret"]}"#] {
            let error = serde_json::from_str::<Choice>(text).unwrap_err().to_string();
            assert!(!error.contains("secret"), "{error}");
        }
    }

    #[test]
    fn a_button_is_made_whole_from_what_the_action_has() {
        let check = |action: Value, title: &str, button: Value| {
            let choice = read(json!({"value": "v", "action": action}));
            assert_eq!(choice.title(), title);
            assert_eq!(serde_json::to_value(choice.button()).unwrap(), button);
        };
        let plain = json!({"type": "imBack", "title": "v", "value": "v"});
        check(Value::Null, "v", plain.clone());
        check(json!({}), "v", plain);
        check(json!({"title": "T"}), "T", json!({"type": "imBack", "title": "T", "value": "T"}));
        let url = json!({"type": "openUrl", "title": "u", "value": "u"});
        check(json!({"type": "openUrl", "value": "u"}), "v", url);
        let data = json!({"type": "imBack", "title": "{\"a\":1}", "value": {"a": 1}});
        check(json!({"value": {"a": 1}}), "v", data);
    }

    #[test]
    fn a_found_choice_is_stored_as_the_sdks_do() {
        let found =
            FoundChoice { value: "red".into(), index: 2, score: 0.5, synonym: Some("r".into()) };
        let stored = json!({"value": "red", "index": 2, "score": 0.5, "synonym": "r"});
        assert_eq!(serde_json::to_value(&found).unwrap(), stored);
        assert_eq!(serde_json::from_value::<FoundChoice>(stored).unwrap(), found);
        let pascal = json!({"Value": "red", "Index": 2, "Score": 0.5, "Synonym": null});
        let read: FoundChoice = serde_json::from_value(pascal).unwrap();
        assert_eq!(read, FoundChoice { synonym: None, ..found });
        assert_eq!(format!("{read:>5}|{read}"), "  red|red");
    }
}
