//! Signing in: by card, event, code and invoke, and too late.

use std::sync::Arc;

use async_trait::async_trait;
use sayso_activity::{Activity, Kind, Raw, Reference};
use sayso_dialog::{
    ComponentDialog, Dialogs, PromptOptions, Step, StepResult, WaterfallDialog,
    oauth::{
        OAuthPrompt, SignIn, TOKEN_EXCHANGE, TOKEN_RESPONSE, Token, TokenService, User,
        VERIFY_STATE,
    },
};
use sayso_turn::{Bot, BotError};
use serde_json::{Value, json};

use crate::talk::{MINUTE, Talk};

/// Knows one code and one token to exchange.
#[derive(Debug, Default)]
struct Service {
    has_token: bool,
}

fn token() -> Token {
    Token { connection_name: "hub".to_owned(), token: "t0ken".to_owned(), expiration: None }
}

#[async_trait]
impl TokenService for Service {
    async fn token(
        &self,
        user: &User,
        connection: &str,
        code: Option<&str>,
    ) -> Result<Option<Token>, BotError> {
        assert_eq!((user.channel.as_str(), user.id.as_str(), connection), ("test", "user", "hub"));
        match code {
            Some("500500") => Err("the service is down".into()),
            Some(code) => Ok((code == "123456").then(token)),
            None => Ok(self.has_token.then(token)),
        }
    }

    async fn exchange(&self, _: &User, _: &str, given: &str) -> Result<Option<Token>, BotError> {
        Ok((given == "good").then(token))
    }

    async fn sign_in(&self, _: &Reference, _: &str) -> Result<SignIn, BotError> {
        Ok(SignIn {
            link: "https://example.org/sign-in".to_owned(),
            exchange: Some(json!({ "id": "x" })),
        })
    }
}

async fn sign_in(step: Step<'_>) -> StepResult {
    step.prompt("signIn", PromptOptions::default().retry("Please sign in first.")).await
}

async fn tell(mut step: Step<'_>) -> StepResult {
    let token: Option<Token> = step.result()?;
    step.say(if token.is_some() { "Signed in." } else { "Not signed in." });
    step.end(Value::Null).await
}

fn bot(has_token: bool) -> Bot {
    let prompt = OAuthPrompt::new("signIn", "hub", Arc::new(Service { has_token }));
    let prompt = prompt.text("Please sign in.").title("Sign in").within(MINUTE);
    let root = ComponentDialog::new("root")
        .with(WaterfallDialog::new("w").step(sign_in).step(tell))
        .with(prompt);
    Dialogs::new(root).bot()
}

fn named(kind: Kind, name: &str, value: &Value) -> Activity {
    let mut activity = Activity::new(kind);
    activity.name = Some(name.to_owned());
    activity.value = Some(Raw::of(value).unwrap());
    activity
}

async fn asked() -> Talk<impl Fn() -> Bot> {
    let mut talk = Talk::new(|| bot(false));
    let replies = talk.activities(Activity::message("hi")).await;
    let card = &replies[0].attachments.as_ref().unwrap()[0];
    assert_eq!(card.content_type.as_deref(), Some("application/vnd.microsoft.card.oauth"));
    let content: Value = card.content.as_ref().unwrap().get().unwrap();
    assert_eq!(content["connectionName"], "hub");
    assert_eq!(content["buttons"][0]["title"], "Sign in");
    assert_eq!(content["tokenExchangeResource"]["id"], "x");
    assert_eq!(replies[0].input_hint.as_deref(), Some("acceptingInput"));
    talk
}

#[tokio::test]
async fn a_signed_in_user_is_not_asked() {
    assert_eq!(Talk::new(|| bot(true)).say("hi").await, ["Signed in."]);
}

#[tokio::test]
async fn an_event_brings_the_token() {
    let event =
        named(Kind::Event, TOKEN_RESPONSE, &json!({ "connectionName": "hub", "token": "t" }));
    assert_eq!(asked().await.send(event).await, ["Signed in."]);
}

#[tokio::test]
async fn a_code_brings_the_token_and_other_words_do_not() {
    let mut talk = asked().await;
    assert_eq!(talk.say("hello").await, ["Please sign in first."]);
    assert_eq!(talk.say("654321").await, ["Please sign in first."]);
    assert_eq!(talk.say("it is 123456").await, ["Signed in."]);
}

#[tokio::test]
async fn invokes_are_answered_by_their_result() {
    let verify = |code: &str| named(Kind::Invoke, VERIFY_STATE, &json!({ "state": code }));
    let exchange = |value: Value| named(Kind::Invoke, TOKEN_EXCHANGE, &value);
    let good = json!({ "id": "1", "connectionName": "hub", "token": "good" });
    let bad = json!({ "id": "1", "connectionName": "hub", "token": "bad" });
    let other = json!({ "id": "1", "connectionName": "other", "token": "good" });
    for (activity, status, is_in) in [
        (verify("123456"), 200, true),
        (verify("000000"), 404, false),
        (verify("500500"), 500, false),
        (exchange(good), 200, true),
        (exchange(bad), 412, false),
        (exchange(other), 400, false),
        (exchange(Value::Null), 400, false),
    ] {
        let mut talk = asked().await;
        let said = talk.send(activity.clone()).await;
        assert_eq!(talk.response.as_ref().unwrap().status, status, "{activity:?}");
        assert_eq!(said == ["Signed in."], is_in, "{activity:?}");
    }
}

#[tokio::test]
async fn sign_in_ends_without_a_token_after_the_time_limit() {
    assert_eq!(asked().await.late().await, ["Not signed in."]);
}

#[tokio::test]
async fn debug_output_hides_the_token() {
    assert!(!format!("{:?}", token()).contains("t0ken"));
}
