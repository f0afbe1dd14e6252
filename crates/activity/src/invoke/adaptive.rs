//! Invoke `adaptiveCard/action`: a user pressed a button of the type `Action.Execute`.

use serde::Serialize;

use super::{InvokeError, value};
use crate::json::wire_struct::wire_struct;
use crate::{Activity, AdaptiveCard, Raw};

wire_struct! {
    /// The value that an adaptive card sends when a button of the type `Action.Execute` is pressed.
    ///
    /// # Example
    ///
    /// ```
    /// use sayso_activity::{Activity, AdaptiveCardInvoke};
    ///
    /// let activity = Activity::from_json(
    ///     br#"{"type":"invoke","name":"adaptiveCard/action","value":
    ///          {"action":{"type":"Action.Execute","verb":"order","data":{"size":"large"}}}}"#,
    /// )?;
    /// let invoke = AdaptiveCardInvoke::of(&activity)?;
    /// let action = invoke.action.unwrap();
    /// assert_eq!(action.verb.as_deref(), Some("order"));
    /// assert_eq!(action.data.unwrap().as_str(), r#"{"size":"large"}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub struct AdaptiveCardInvoke, "adaptiveCardAction";
    required {}
    optional {
        /// The button that was pressed; always set by [`AdaptiveCardInvoke::of`].
        action: AdaptiveCardAction = "action",
        /// A token, when the card asked for one.
        authentication: Raw = "authentication",
        /// The code that completes a sign-in.
        state: String = "state",
        /// The trigger of the invoke: `manual` or `automatic`.
        trigger: String = "trigger",
    }
}

wire_struct! {
    /// The button that was pressed, and what the card's inputs held.
    pub struct AdaptiveCardAction, "action";
    required {}
    optional {
        /// The type of button: `Action.Execute`.
        kind: String = "type",
        /// The id of the button.
        id: String = "id",
        /// The verb: the card's own name for the action.
        verb: String = "verb",
        /// The data of the button, with the inputs of the card.
        data: Raw = "data",
    }
}

/// The answer to a press: another card, a message, or an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AdaptiveCardResponse {
    #[serde(rename = "statusCode")]
    status: u16,
    #[serde(rename = "type")]
    kind: &'static str,
    value: Raw,
}

impl AdaptiveCardInvoke {
    /// The name of the invoke.
    pub const NAME: &'static str = "adaptiveCard/action";
    /// The type of button that sends this invoke.
    pub const EXECUTE: &'static str = "Action.Execute";

    /// Reads the value of an invoke, and checks it.
    ///
    /// # Errors
    ///
    /// When there is no value, no action, or an action of another type. The error is the body to
    /// answer with.
    pub fn of(activity: &Activity) -> Result<Self, InvokeError> {
        let invoke: Self = value(activity)?
            .get()
            .map_err(|_| InvokeError::bad_request("the value is not an adaptive card's action"))?;
        let Some(action) = &invoke.action else {
            return Err(InvokeError::bad_request("the value has no action"));
        };
        match action.kind.as_deref() {
            Some(Self::EXECUTE) => Ok(invoke),
            _ => Err(InvokeError::not_supported("only actions of type Action.Execute are handled")),
        }
    }

    /// Deserialises the data of the button and the inputs of the card.
    ///
    /// # Errors
    ///
    /// When the data does not fit the type.
    pub fn data<T: serde::de::DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        let data = self.action.as_ref().and_then(|action| action.data.clone());
        data.unwrap_or_else(Raw::null).get()
    }

    /// The verb of the button, or the empty string.
    #[must_use]
    pub fn verb(&self) -> &str {
        self.action.as_ref().and_then(|action| action.verb.as_deref()).unwrap_or_default()
    }
}

impl AdaptiveCardResponse {
    /// Shows another card in place of the one that was pressed.
    #[must_use]
    pub fn card(card: &AdaptiveCard) -> Self {
        Self { status: 200, kind: AdaptiveCard::CONTENT_TYPE, value: card.raw().clone() }
    }

    /// Leaves the card and shows a message for a moment.
    ///
    /// # Example
    ///
    /// ```
    /// use sayso_activity::AdaptiveCardResponse;
    ///
    /// let response = AdaptiveCardResponse::message("Ordered.");
    /// let text = r#"{"statusCode":200,"type":"application/vnd.microsoft.activity.message","value":"Ordered."}"#;
    /// assert_eq!(serde_json::to_string(&response)?, text);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn message(text: impl Into<String>) -> Self {
        let value = Raw::from(serde_json::Value::from(text.into()));
        Self { status: 200, kind: "application/vnd.microsoft.activity.message", value }
    }

    /// Tells the client what went wrong: a status, a code for programs, a message for people.
    #[must_use]
    pub fn error(status: u16, code: &str, message: &str) -> Self {
        let value = Raw::from(serde_json::json!({ "code": code, "message": message }));
        Self { status, kind: InvokeError::CONTENT_TYPE, value }
    }
}

#[cfg(test)]
mod tests {
    use super::{AdaptiveCardInvoke, AdaptiveCardResponse};
    use crate::{Activity, AdaptiveCard};

    fn read(value: &str) -> Result<AdaptiveCardInvoke, (u16, &'static str, String)> {
        let text = format!(r#"{{"type":"invoke","name":"adaptiveCard/action","value":{value}}}"#);
        let activity = Activity::from_json(text.as_bytes()).unwrap();
        AdaptiveCardInvoke::of(&activity).map_err(|e| (e.status(), e.code(), e.to_string()))
    }

    #[test]
    fn a_value_that_is_no_action_is_refused() {
        for (value, code, start) in [
            ("null", "BadRequest", "the invoke has no value"),
            ("7", "BadRequest", "the value is not an adaptive card's action"),
            (r#"{"action":"secret"}"#, "BadRequest", "the value is not"),
            (r#"{"action":{"type":7}}"#, "BadRequest", "the value is not"),
            ("{}", "BadRequest", "the value has no action"),
            (r#"{"action":null}"#, "BadRequest", "the value has no action"),
            (r#"{"action":{}}"#, "NotSupported", "only actions of type Action.Execute"),
            (r#"{"action":{"type":"Action.Submit"}}"#, "NotSupported", "only actions"),
            (r#"{"action":{"type":"action.execute"}}"#, "NotSupported", "only actions"),
        ] {
            let (status, got, message) = read(value).unwrap_err();
            assert_eq!((status, got), (400, code), "{value}");
            assert!(message.starts_with(start) && !message.contains("secret"), "{message}");
        }
    }

    #[test]
    fn an_action_is_read_with_all_it_has() {
        let value = r#"{"action":{"type":"Action.Execute","id":"a","verb":"go","data":{"n":1},"x":2},"state":"s","trigger":"manual","y":3}"#;
        let invoke = read(value).unwrap();
        assert_eq!((invoke.verb(), invoke.state.as_deref()), ("go", Some("s")));
        assert_eq!(invoke.data::<std::collections::BTreeMap<String, u8>>().unwrap()["n"], 1);
        assert_eq!(serde_json::to_string(&invoke).unwrap(), value);
        let bare = read(r#"{"action":{"type":"Action.Execute"}}"#).unwrap();
        assert_eq!((bare.verb(), bare.data::<Option<u8>>().unwrap()), ("", None));
    }

    #[test]
    fn answers_have_the_type_of_what_they_show() {
        let card = AdaptiveCard::from_text(r#"{"type":"AdaptiveCard"}"#).unwrap();
        for (response, text) in [
            (
                AdaptiveCardResponse::card(&card),
                r#"{"statusCode":200,"type":"application/vnd.microsoft.card.adaptive","value":{"type":"AdaptiveCard"}}"#,
            ),
            (
                AdaptiveCardResponse::error(409, "Late", "too late"),
                r#"{"statusCode":409,"type":"application/vnd.microsoft.error","value":{"code":"Late","message":"too late"}}"#,
            ),
        ] {
            assert_eq!(serde_json::to_string(&response).unwrap(), text);
        }
    }
}
