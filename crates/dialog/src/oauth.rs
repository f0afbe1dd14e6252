//! OAuth prompt: sends a sign-in card, then takes a token event, an invoke or a code, within a time
//! limit.
//!
//! The token service is a seam. The facade joins it to the Bot Framework's (`sayso::UserTokens`);
//! tests bring their own.

mod card;
mod service;

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use sayso_activity::{Activity, Kind};
use sayso_turn::{BotError, TimerId, clock::Timestamp};
use serde_json::{Value, json};

use crate::{
    dialog::{Dialog, DialogContext, DialogTurn, Reason},
    error::Result,
    json::{from_json, to_json},
    prompt::{DEADLINE, PromptOptions},
    state::Instance,
};

pub use service::{SignIn, Token, TokenService, User};

/// The name of the event that brings a token.
pub const TOKEN_RESPONSE: &str = "tokens/response";
/// The name of the invoke that brings a code.
pub const VERIFY_STATE: &str = "signin/verifyState";
/// The name of the invoke that brings a token to exchange.
pub const TOKEN_EXCHANGE: &str = "signin/tokenExchange";

/// The digits of a code.
const CODE_DIGITS: usize = 6;

mod member {
    pub(super) const OPTIONS: &str = "options";
    pub(super) const EXPIRES: &str = "expires";
    pub(super) const TIMER: &str = "timer";
}

/// Asks the user to sign in, and ends with a [`Token`], or with null when that did not happen in
/// time.
///
/// # Example
/// ```
/// use std::{sync::Arc, time::Duration};
/// use sayso_dialog::oauth::{OAuthPrompt, TokenService};
///
/// fn sign_in(service: Arc<dyn TokenService>) -> OAuthPrompt {
///     OAuthPrompt::new("signIn", "GitHub", service)
///         .text("Please sign in.")
///         .within(Duration::from_secs(300))
/// }
/// ```
#[derive(Debug)]
pub struct OAuthPrompt {
    id: String,
    connection: String,
    service: Arc<dyn TokenService>,
    title: String,
    text: Option<String>,
    within: Duration,
    ends_on_message: bool,
}

/// The meaning of an activity for signing in.
enum Answer {
    Token(Token),
    /// The activity was answered, and there is no token yet.
    NotYet,
    /// It says nothing about it.
    Nothing,
}

impl OAuthPrompt {
    /// A prompt for signing in over a connection of the bot.
    #[must_use]
    pub fn new(
        id: impl Into<String>,
        connection: impl Into<String>,
        service: Arc<dyn TokenService>,
    ) -> Self {
        Self {
            id: id.into(),
            connection: connection.into(),
            service,
            title: "Sign in".to_owned(),
            text: None,
            within: Duration::from_secs(15 * 60),
            ends_on_message: false,
        }
    }

    /// Sets the text on the button.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// Sets the text above the button.
    #[must_use]
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.text = Some(text.into());
        self
    }

    /// Sets the time that signing in may take; 15 minutes unless this says otherwise.
    #[must_use]
    pub fn within(mut self, within: Duration) -> Self {
        self.within = within;
        self
    }

    /// Ends without a token when the user says something other than a code.
    #[must_use]
    pub fn end_on_message(mut self) -> Self {
        self.ends_on_message = true;
        self
    }

    async fn send_card(&self, dc: &mut DialogContext, prompt: Option<Activity>) -> Result<()> {
        let reference = dc.turn().reference();
        let sign_in = self.service.sign_in(&reference, &self.connection).await?;
        let inbound = dc.turn().activity();
        let card = card::of(inbound, &self.connection, &self.title, self.text.as_deref(), sign_in)?;
        let mut asked = prompt.unwrap_or_else(|| Activity::new(Kind::Message));
        asked.input_hint.get_or_insert_with(|| "acceptingInput".to_owned());
        dc.turn().send(asked.with_attachment(card));
        Ok(())
    }

    /// Returns `true` if the activity may be about signing in, so that the time limit applies.
    fn concerns(activity: &Activity) -> bool {
        let name = activity.name.as_deref().unwrap_or_default();
        match activity.kind {
            Kind::Message => true,
            Kind::Event => name == TOKEN_RESPONSE,
            Kind::Invoke => [VERIFY_STATE, TOKEN_EXCHANGE].contains(&name),
            _ => false,
        }
    }

    fn is_over(dc: &mut DialogContext) -> bool {
        let state = dc.state();
        let expires = state.get(member::EXPIRES).and_then(Value::as_u64);
        let timer = state.get(member::TIMER).and_then(Value::as_str).map(str::to_owned);
        let (now, activity) = (dc.turn().now(), dc.turn().activity());
        let is_timer = activity.name.as_deref() == Some(DEADLINE)
            && timer.is_some_and(|timer| activity.id.as_deref() == Some(&timer));
        let is_late = expires.is_some_and(|expires| now > Timestamp::from_millis(expires));
        is_timer || (is_late && Self::concerns(activity))
    }

    async fn recognize(&self, dc: &mut DialogContext) -> Result<Answer> {
        let activity = dc.turn().activity();
        let name = activity.name.as_deref().unwrap_or_default();
        match activity.kind {
            Kind::Event if name == TOKEN_RESPONSE => {
                let token = activity.value.as_ref().map(|value| value.get::<Token>());
                Ok(token.transpose()?.map_or(Answer::Nothing, Answer::Token))
            }
            Kind::Invoke if name == VERIFY_STATE => self.verify(dc).await,
            Kind::Invoke if name == TOKEN_EXCHANGE => self.exchange(dc).await,
            Kind::Message => {
                let Some(code) = code_in(activity.text()) else { return Ok(Answer::Nothing) };
                let code = code.to_owned();
                let token = self.redeem(dc, Some(&code)).await?;
                Ok(token.map_or(Answer::Nothing, Answer::Token))
            }
            _ => Ok(Answer::Nothing),
        }
    }

    /// Redeems a code for a token. A code works once and the turn may be retried, so `once` records
    /// the token. After a crash the service gives it without a code.
    async fn redeem(
        &self,
        dc: &mut DialogContext,
        code: Option<&str>,
    ) -> Result<Option<Token>, BotError> {
        let (user, turn) = (User::of(dc.turn().activity()), dc.turn());
        let (service, connection) = (&self.service, &self.connection);
        let ask = |_| async {
            match service.token(&user, connection, code).await? {
                None if code.is_some() => service.token(&user, connection, None).await,
                token => Ok(token),
            }
        };
        turn.once(&format!("{}.code", self.id), ask).await
    }

    async fn verify(&self, dc: &mut DialogContext) -> Result<Answer> {
        let activity = dc.turn().activity();
        let value: Value = activity.value.as_ref().map_or(Ok(Value::Null), |value| value.get())?;
        let code = value.get("state").and_then(Value::as_str).map(str::to_owned);
        let (status, answer) = match self.redeem(dc, code.as_deref()).await {
            Ok(Some(token)) => (200, Answer::Token(token)),
            Ok(None) => (404, Answer::NotYet),
            // The service is out of order: the channel may send the invoke again.
            Err(_) => (500, Answer::NotYet),
        };
        dc.turn().respond(status, &Value::Null)?;
        Ok(answer)
    }

    async fn exchange(&self, dc: &mut DialogContext) -> Result<Answer> {
        let activity = dc.turn().activity();
        let value: Value = activity.value.as_ref().map_or(Ok(Value::Null), |value| value.get())?;
        let of =
            |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (id, connection, token) = (of("id"), of("connectionName"), of("token"));
        let user = User::of(activity);
        let body = |detail: &str| json!({ "id": id, "connectionName": self.connection, "failureDetail": detail });
        let refused = if token.is_empty() {
            Some((400, "there is no token to exchange"))
        } else if connection != self.connection {
            Some((400, "the connection is another one than the bot asked for"))
        } else {
            None
        };
        if let Some((status, detail)) = refused {
            dc.turn().respond(status, &body(detail))?;
            return Ok(Answer::NotYet);
        }
        let name = format!("{}.exchange", self.id);
        let exchange = |_| self.service.exchange(&user, &self.connection, &token);
        match dc.turn().once(&name, exchange).await {
            Ok(Some(token)) => {
                dc.turn().respond(200, &json!({ "id": id, "connectionName": self.connection }))?;
                Ok(Answer::Token(token))
            }
            _ => {
                dc.turn().respond(412, &body("the token cannot be exchanged: sign in"))?;
                Ok(Answer::NotYet)
            }
        }
    }
}

#[async_trait]
impl Dialog for OAuthPrompt {
    fn id(&self) -> &str {
        &self.id
    }

    async fn begin(&self, dc: &mut DialogContext, options: Value) -> Result<DialogTurn> {
        let asked: PromptOptions = from_json(&options, || "the options of the sign-in".to_owned())?;
        let user = User::of(dc.turn().activity());
        if let Some(token) = self.service.token(&user, &self.connection, None).await? {
            return dc.end(token).await;
        }
        let expires = dc.turn().now().after(self.within);
        let timer = dc.turn().after(self.within, Activity::event(DEADLINE));
        let state = dc.state();
        state.insert(member::OPTIONS.to_owned(), to_json(&asked, "the options of a prompt")?);
        state.insert("state".to_owned(), json!({}));
        state.insert(member::EXPIRES.to_owned(), expires.as_millis().into());
        state.insert(member::TIMER.to_owned(), timer.as_str().into());
        self.send_card(dc, asked.prompt.map(|asked| *asked)).await?;
        Ok(DialogTurn::waiting())
    }

    async fn proceed(&self, dc: &mut DialogContext) -> Result<DialogTurn> {
        if Self::is_over(dc) {
            return dc.end(Value::Null).await;
        }
        let is_message = dc.turn().activity().is_message();
        match self.recognize(dc).await? {
            Answer::Token(token) => dc.end(token).await,
            Answer::Nothing if is_message && self.ends_on_message => dc.end(Value::Null).await,
            Answer::Nothing if is_message => {
                let options: Option<PromptOptions> = dc.kept(member::OPTIONS)?;
                if let Some(retry) = options.and_then(|options| options.retry_prompt) {
                    dc.turn().send(*retry);
                }
                Ok(DialogTurn::waiting())
            }
            _ => Ok(DialogTurn::waiting()),
        }
    }

    async fn resume(&self, dc: &mut DialogContext, _: Reason, _: Value) -> Result<DialogTurn> {
        self.reprompt(dc).await?;
        Ok(DialogTurn::waiting())
    }

    async fn reprompt(&self, dc: &mut DialogContext) -> Result<()> {
        let options: Option<PromptOptions> = dc.kept(member::OPTIONS)?;
        self.send_card(dc, options.and_then(|options| options.prompt).map(|asked| *asked)).await
    }

    async fn ended(&self, dc: &mut DialogContext, instance: &Instance, _: Reason) -> Result<()> {
        if let Some(timer) = instance.state().get(member::TIMER) {
            let timer: TimerId = from_json(timer, || "the timer of the sign-in".to_owned())?;
            dc.turn().cancel(&timer);
        }
        Ok(())
    }
}

/// The six digits that stand alone in a text.
fn code_in(text: &str) -> Option<&str> {
    let runs = text.split(|letter: char| !letter.is_ascii_digit());
    let mut codes = runs.filter(|run| run.len() == CODE_DIGITS);
    codes.next()
}

#[cfg(test)]
mod tests {
    use super::code_in;

    #[test]
    fn a_code_is_six_digits_and_no_more() {
        assert_eq!(code_in("my code: 123456."), Some("123456"));
        for text in ["", "12345", "1234567", "abc"] {
            assert_eq!(code_in(text), None, "{text}");
        }
    }
}
