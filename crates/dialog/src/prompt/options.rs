//! Options of a prompt, as authors write them and as they are stored.

use std::time::Duration;

use sayso_activity::{Activity, Kind};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::choice::{Choice, ListStyle};

/// The question of a prompt, its choices, its deadline.
///
/// # Example
/// ```
/// use sayso_dialog::PromptOptions;
///
/// let options = PromptOptions::ask("What size?")
///     .retry("Small or large?")
///     .choices(["small", "large"]);
/// # drop(options);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PromptOptions {
    /// The question.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "text_or_activity")]
    pub prompt: Option<Box<Activity>>,
    /// The question after an answer that was not understood; else it is the same again.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "text_or_activity")]
    pub retry_prompt: Option<Box<Activity>>,
    /// The choices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choices: Option<Vec<Choice>>,
    /// The style in which the choices are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub style: Option<ListStyle>,
    /// Data for the validator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validations: Option<Value>,
    /// The locale to read the answer in, whatever the activity says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recognize_language: Option<String>,
    /// The deadline for an answer, and what happens after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Deadline>,
}

/// A time for an answer. It is a durable timer: it runs out also when the process that asked is
/// gone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Deadline {
    /// Milliseconds from the question on.
    #[serde(rename = "ms")]
    millis: u64,
    late: Late,
}

/// The policy for a prompt that was not answered in time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Late {
    /// The question is asked again, once.
    Remind,
    /// This is the answer.
    Default(Value),
    /// All dialogs are cancelled.
    Cancel,
}

impl Deadline {
    /// A deadline.
    #[must_use]
    pub fn new(wait: Duration, late: Late) -> Self {
        Self { millis: u64::try_from(wait.as_millis()).unwrap_or(u64::MAX), late }
    }

    /// The time that an answer may take.
    #[must_use]
    pub fn wait(&self) -> Duration {
        Duration::from_millis(self.millis)
    }

    /// The policy for an answer that does not come in time.
    #[must_use]
    pub fn late(&self) -> &Late {
        &self.late
    }
}

impl PromptOptions {
    /// Options with this question.
    #[must_use]
    pub fn ask(prompt: impl Into<Asked>) -> Self {
        Self { prompt: Some(prompt.into().0), ..Self::default() }
    }

    /// Sets the question to ask after an answer that was not understood.
    #[must_use]
    pub fn retry(mut self, prompt: impl Into<Asked>) -> Self {
        self.retry_prompt = Some(prompt.into().0);
        self
    }

    /// Sets the choices.
    #[must_use]
    pub fn choices<C: Into<Choice>>(mut self, choices: impl IntoIterator<Item = C>) -> Self {
        self.choices = Some(choices.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the style in which the choices are shown.
    #[must_use]
    pub fn style(mut self, style: ListStyle) -> Self {
        self.style = Some(style);
        self
    }

    /// Sets the data for the validator.
    #[must_use]
    pub fn validations(mut self, validations: Value) -> Self {
        self.validations = Some(validations);
        self
    }

    /// Sets the locale to read the answer in, whatever the activity says.
    #[must_use]
    pub fn language(mut self, locale: impl Into<String>) -> Self {
        self.recognize_language = Some(locale.into());
        self
    }

    /// Sets a deadline for the answer, and the policy for a late one.
    #[must_use]
    pub fn within(mut self, wait: Duration, late: Late) -> Self {
        self.deadline = Some(Deadline::new(wait, late));
        self
    }
}

/// A question: a text or an activity.
#[derive(Clone, Debug)]
pub struct Asked(Box<Activity>);

impl From<&str> for Asked {
    fn from(text: &str) -> Self {
        Activity::message(text).into()
    }
}

impl From<String> for Asked {
    fn from(text: String) -> Self {
        Activity::message(text).into()
    }
}

impl From<Activity> for Asked {
    fn from(activity: Activity) -> Self {
        Self(Box::new(activity))
    }
}

impl<T: Into<Asked>> From<T> for PromptOptions {
    fn from(prompt: T) -> Self {
        Self::ask(prompt)
    }
}

/// JavaScript bots may keep the bare text of a question, or an activity that does not say what it
/// is.
///
/// By hand, because an untagged enum would buffer, and an activity keeps JSON text that does not
/// survive buffering.
fn text_or_activity<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Box<Activity>>, D::Error> {
    match Option::<Value>::deserialize(from)? {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(Box::new(Activity::message(text)))),
        Some(mut asked) => {
            if let Some(members) = asked.as_object_mut() {
                members.entry("type").or_insert_with(|| Kind::Message.as_str().into());
            }
            Box::deserialize(asked).map(Some).map_err(D::Error::custom)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::{Value, json};

    use super::{Late, PromptOptions};
    use crate::choice::{Choice, ListStyle};

    fn read(stored: &Value) -> PromptOptions {
        let read = serde_json::from_value(stored.clone()).unwrap();
        assert_eq!(serde_json::from_str::<PromptOptions>(&stored.to_string()).unwrap(), read);
        read
    }

    #[test]
    fn options_survive_a_round_trip() {
        let options = PromptOptions::ask("What size?")
            .retry("Small or large?")
            .choices(["small", "large"])
            .style(ListStyle::List)
            .validations(json!({"max": 3}))
            .language("fr-fr")
            .within(Duration::from_secs(60), Late::Default(json!("small")));
        let stored = serde_json::to_value(&options).unwrap();
        assert_eq!(
            stored,
            json!({
                "prompt": {"type": "message", "text": "What size?"},
                "retryPrompt": {"type": "message", "text": "Small or large?"},
                "choices": [{"value": "small"}, {"value": "large"}],
                "style": 3,
                "validations": {"max": 3},
                "recognizeLanguage": "fr-fr",
                "deadline": {"ms": 60_000, "late": {"default": "small"}},
            })
        );
        assert_eq!(read(&stored), options);
    }

    #[test]
    fn a_question_is_kept_with_all_its_members() {
        let prompt = json!({
            "type": "message", "text": "color?", "importance": "high",
            "attachments": [{"contentType": "x/y", "content": {"a": [1]}}],
            "suggestedActions": {"actions": []},
        });
        let stored = json!({"prompt": prompt});
        assert_eq!(serde_json::to_value(read(&stored)).unwrap(), stored);
    }

    #[test]
    fn the_shorter_forms_of_javascript_are_read() {
        let options = read(&json!({
            "prompt": "color?",
            "retryPrompt": {"text": "which color?"},
            "choices": ["red", {"value": "blue"}],
        }));
        let red_and_blue = PromptOptions::ask("color?").retry("which color?");
        assert_eq!(options, red_and_blue.choices(["red", "blue"].map(Choice::from)));
    }

    #[test]
    fn null_members_are_read_as_absent() {
        let stored = json!({
            "prompt": null, "retryPrompt": null, "choices": null, "style": null,
            "validations": null, "recognizeLanguage": null, "deadline": null,
        });
        assert_eq!(read(&stored), PromptOptions::default());
        assert_eq!(read(&json!({})), PromptOptions::default());
    }

    #[test]
    fn invalid_options_are_refused() {
        for stored in [json!({"prompt": 7}), json!({"prompt": {"type": 1}}), json!({"style": 9})] {
            assert!(serde_json::from_value::<PromptOptions>(stored.clone()).is_err(), "{stored}");
        }
    }
}
