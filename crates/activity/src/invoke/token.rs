//! User tokens of OAuth sign-ins, and their exchange (single sign-on).

use std::fmt;

use serde::de::Error;
use serde::{Serialize, Serializer};

use crate::json::read::{Place, ReadJson};
use crate::json::wire_struct::wire_struct;
use crate::json::write::WriteJson;
use crate::json::write_string;

/// A user's token. It never shows in logs: only [`Token::reveal`] and writing as JSON give it away.
///
/// # Example
///
/// ```
/// use sayso_activity::Token;
///
/// let token = Token::from("abc");
/// assert_eq!(format!("{token:?}"), "Token(..)");
/// assert_eq!(token.reveal(), "abc");
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Token(String);

wire_struct! {
    /// A user's token, given after a sign-in: the value of the event `tokens/response`.
    pub struct TokenResponse, "token";
    required {}
    optional {
        /// The channel of the user.
        channel_id: String = "channelId",
        /// The connection that it is for.
        connection_name: String = "connectionName",
        /// The token.
        token: Token = "token",
        /// The time when it expires.
        expiration: String = "expiration",
    }
}

wire_struct! {
    /// A client offers a token for exchange: the value of the invoke `signin/tokenExchange`.
    pub struct TokenExchangeRequest, "tokenExchange";
    required {}
    optional {
        /// The request of the bot that it answers.
        id: String = "id",
        /// The connection that it is for.
        connection_name: String = "connectionName",
        /// The token to exchange.
        token: Token = "token",
    }
}

wire_struct! {
    /// The answer to a client whose token could not be exchanged.
    pub struct TokenExchangeResponse, "tokenExchange";
    required {}
    optional {
        /// The request of the client that it answers.
        id: String = "id",
        /// The connection that it was for.
        connection_name: String = "connectionName",
        /// The reason of the failure.
        failure_detail: String = "failureDetail",
    }
}

impl Token {
    /// The token itself.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl TokenResponse {
    /// The name of the event that brings one.
    pub const NAME: &'static str = "tokens/response";
}

impl TokenExchangeRequest {
    /// The name of the invoke that brings one.
    pub const NAME: &'static str = "signin/tokenExchange";
    /// The name of the invoke that brings the code which the user was shown after a sign-in.
    pub const VERIFY_STATE: &'static str = "signin/verifyState";
}

impl From<&str> for Token {
    fn from(token: &str) -> Self {
        Self(token.to_owned())
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

impl Serialize for Token {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl WriteJson for Token {
    fn write(&self, to: &mut String) {
        write_string(to, &self.0);
    }
}

impl<'de> ReadJson<'de> for Token {
    const EXPECTED: &'static str = "a string";

    fn read_str<E: Error>(place: Place<'_, Self>, text: &str) -> Result<(), E> {
        *place.value = Some(Self(text.to_owned()));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{TokenExchangeRequest, TokenResponse};

    #[test]
    fn a_token_is_kept_and_not_shown() {
        let text = r#"{"channelId":"c","connectionName":"n","token":"canary","expiration":"e"}"#;
        let response: TokenResponse = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&response).unwrap(), text);
        assert!(!format!("{response:?}").contains("canary"));
        let text = r#"{"id":"1","connectionName":"n","token":"canary","z":1}"#;
        let request: TokenExchangeRequest = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&request).unwrap(), text);
        assert!(!format!("{request:?}").contains("canary"));
        let error = serde_json::from_str::<TokenResponse>(r#"{"token":["canary"]}"#).unwrap_err();
        assert!(error.to_string().starts_with("token.token: expected a string"), "{error}");
    }
}
