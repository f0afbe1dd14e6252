//! Signing in end to end: the OAuth prompt in the engine, our client, and a token service on
//! loopback that answers as the Bot Framework's does.

mod played;

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use sayso::{
    Engine, Limits, UserTokens,
    activity::{Activity, Kind},
    channel::{
        ConnectorOptions, ServiceUrls,
        auth::{AuthOptions, Secret, Tokens},
        client::Client,
    },
    dialog::{
        ComponentDialog, Dialogs, PromptOptions, Step, StepResult, WaterfallDialog,
        oauth::{OAuthPrompt, Token, TokenService, User},
    },
    turn::{
        Answer, Bot, Turn,
        channel::{Channel, Delivery, Parcel},
        clock::SystemClock,
        store::MemoryStore,
    },
};
use serde_json::{Value, json};
use tokio::{sync::mpsc, time::timeout};

use played::{BOT_TOKEN, CODE, Played};

/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(20);
const MINUTE: Duration = Duration::from_secs(60);

/// A channel that hands the replies to the test.
#[derive(Debug)]
struct Shown(mpsc::UnboundedSender<Activity>);

#[async_trait]
impl Channel for Shown {
    async fn deliver(&self, parcel: &Parcel) -> Delivery {
        drop(self.0.send((*parcel.activity).clone()));
        Delivery::Delivered { id: None }
    }
}

/// A user in a conversation with a bot that wants them to sign in.
struct Talk {
    service: Played,
    engine: Engine,
    store: Arc<MemoryStore>,
    replies: mpsc::UnboundedReceiver<Activity>,
    channel: &'static str,
    count: usize,
}

impl Talk {
    async fn start(channel: &'static str, within: Duration) -> Self {
        let service = Played::start().await;
        let prompt = OAuthPrompt::new("signIn", "hub", Arc::new(user_tokens(&service)));
        let prompt = prompt.text("Please sign in.").within(within);
        let (sender, replies) = mpsc::unbounded_channel();
        let store = Arc::new(MemoryStore::default());
        let limits = Limits { sweep_every: Duration::from_millis(100), ..Limits::default() };
        let shown = Arc::new(Shown(sender));
        let engine = Engine::builder(bot(prompt), Arc::clone(&store) as _, shown).limits(limits);
        Self { service, engine: engine.start(), store, replies, channel, count: 0 }
    }

    async fn send(&mut self, activity: Value) -> Answer {
        let activity = self.addressed(activity);
        self.engine.receive(activity).await.unwrap()
    }

    fn addressed(&mut self, mut activity: Value) -> Activity {
        self.count += 1;
        let envelope = json!({
            "id": self.count.to_string(), "channelId": self.channel, "from": {"id": "ann é"},
            "recipient": {"id": "bot"}, "conversation": {"id": "c"},
            "serviceUrl": "http://localhost/", "locale": "de-DE",
        });
        let members = activity.as_object_mut().unwrap();
        members.extend(envelope.as_object().unwrap().clone());
        Activity::from_json(activity.to_string().as_bytes()).unwrap()
    }

    async fn say(&mut self, text: &str) {
        self.send(json!({"type": "message", "text": text})).await;
    }

    async fn invoke(&mut self, name: &str, value: Value) -> (u16, Value) {
        let answer = self.send(json!({"type": "invoke", "name": name, "value": value})).await;
        let response = answer.response.unwrap();
        (response.status, response.body.map_or(Value::Null, |body| body.get().unwrap()))
    }

    async fn next(&mut self) -> Activity {
        timeout(PATIENCE, self.replies.recv()).await.expect("a reply comes").unwrap()
    }

    async fn hears(&mut self, text: &str) {
        assert_eq!(self.next().await.text(), text);
    }

    /// Begins, and gives the card that the user is shown.
    async fn card(&mut self) -> Value {
        self.say("hi").await;
        let shown = self.next().await;
        let card = &shown.attachments.as_ref().unwrap()[0];
        assert_eq!(card.content_type.as_deref(), Some("application/vnd.microsoft.card.oauth"));
        card.content.as_ref().unwrap().get().unwrap()
    }
}

/// The join: our client with the bot's own token, at the address of the service.
fn user_tokens(service: &Played) -> UserTokens {
    let mut app = AuthOptions::new("app-1");
    app.password = Some(Secret::new("hush"));
    app.cloud.login = service.url.clone();
    let tokens = Tokens::new(&app, Arc::new(SystemClock::new())).unwrap();
    let service_urls = ServiceUrls::Only(vec![service.url.clone()]);
    let options = ConnectorOptions { service_urls, tokens: Some(tokens), ..Default::default() };
    UserTokens::new(Client::new(options).unwrap().at(&service.url).unwrap(), app.app_id)
}

async fn sign_in(step: Step<'_>) -> StepResult {
    step.prompt("signIn", PromptOptions::default().retry("Please sign in first.")).await
}

async fn tell(mut step: Step<'_>) -> StepResult {
    let token: Option<Token> = step.result()?;
    let token = token.map(|it| format!("signed in: {}", it.token));
    step.say(token.as_deref().unwrap_or("not signed in"));
    step.end(Value::Null).await
}

fn bot(prompt: OAuthPrompt) -> Bot {
    let steps = WaterfallDialog::new("w").step(sign_in).step(tell);
    Dialogs::new(ComponentDialog::new("root").with(steps).with(prompt)).bot()
}

#[tokio::test]
async fn a_code_signs_in_and_the_service_remembers_until_it_is_told_to_forget() {
    let mut talk = Talk::start("msteams", MINUTE).await;
    let card = talk.card().await;
    assert_eq!(card["connectionName"], "hub");
    assert_eq!(card["buttons"][0]["value"], "https://token.example/start");
    assert_eq!(card["tokenExchangeResource"], played::exchange_resource());
    // What the service was told of the sign-in: who, where, and for which app.
    let state = talk.service.state();
    assert_eq!((&state["connectionName"], &state["msAppId"]), (&"hub".into(), &"app-1".into()));
    let reference = &state["conversation"];
    assert_eq!(reference["user"]["id"], "ann é");
    assert_eq!(reference["bot"]["id"], "bot");
    assert_eq!(
        (&reference["channelId"], &reference["activityId"]),
        (&"msteams".into(), &"1".into())
    );
    assert_eq!(reference["conversation"]["id"], "c");

    talk.say("what?").await;
    talk.hears("Please sign in first.").await;
    talk.say(&format!("my code is {CODE}")).await; // too early: nobody signed in on the page yet
    talk.hears("Please sign in first.").await;
    talk.service.sign_in_on_page();
    talk.say("654321").await;
    talk.hears("Please sign in first.").await;
    talk.say(&format!("my code is {CODE}")).await;
    talk.hears("signed in: t0ken of ann é at msteams").await;

    talk.say("hi").await; // begins again, and is not asked
    talk.hears("signed in: t0ken of ann é at msteams").await;
    let user = User { channel: "msteams".to_owned(), id: "ann é".to_owned() };
    let tokens = user_tokens(&talk.service);
    tokens.sign_out(&user, "hub").await.unwrap();
    tokens.sign_out(&user, "hub").await.unwrap(); // once more does no harm
    assert!(tokens.token(&user, "hub", None).await.unwrap().is_none());
    assert!(talk.card().await.is_object());
    for shown in talk.service.shown() {
        assert_eq!(shown, format!("Bearer {BOT_TOKEN}"));
    }
}

#[tokio::test]
async fn a_code_comes_by_invoke_too_and_is_answered() {
    let mut talk = Talk::start("msteams", MINUTE).await;
    talk.card().await;
    talk.service.sign_in_on_page();
    let verify = "signin/verifyState";
    assert_eq!(talk.invoke(verify, json!({"state": "000000"})).await.0, 404);
    talk.service.break_down(true);
    assert_eq!(talk.invoke(verify, json!({"state": CODE})).await.0, 500);
    talk.service.break_down(false);
    assert_eq!(talk.invoke(verify, json!({"state": CODE})).await.0, 200);
    talk.hears("signed in: t0ken of ann é at msteams").await;
}

#[tokio::test]
async fn a_token_of_the_client_is_exchanged_or_the_client_is_told_why_not() {
    let mut talk = Talk::start("msteams", MINUTE).await;
    let id = talk.card().await["tokenExchangeResource"]["id"].clone();
    let offer = |connection: &str, token: &str| json!({"id": id, "connectionName": connection, "token": token});
    let exchange = "signin/tokenExchange";
    for (value, status) in [
        (offer("hub", "no consent"), 412),
        (offer("hub", "somebody else's"), 412),
        (offer("other", "good"), 400),
        (offer("hub", ""), 400),
    ] {
        let (answered, body) = talk.invoke(exchange, value.clone()).await;
        assert_eq!(answered, status, "{value}");
        assert_eq!((&body["id"], &body["connectionName"]), (&id, &"hub".into()), "{body}");
        assert!(body["failureDetail"].is_string(), "{body}");
    }
    assert_eq!(talk.invoke(exchange, offer("hub", "good")).await.0, 200);
    talk.hears("signed in: t0ken of ann é at msteams").await;
}

#[tokio::test]
async fn who_does_not_sign_in_in_time_goes_on_without() {
    let mut talk = Talk::start("webchat", Duration::from_millis(300)).await;
    let card = talk.card().await;
    assert_eq!(card["buttons"][0].get("value"), None, "only Teams is given the link");
    talk.hears("not signed in").await;
    // A code that comes now is nothing but words: the dialog begins again.
    talk.say(CODE).await;
    assert_eq!(talk.next().await.kind, Kind::Message);
}

#[tokio::test]
async fn a_code_that_was_used_before_a_crash_still_signs_in() {
    let mut talk = Talk::start("msteams", MINUTE).await;
    talk.card().await;
    talk.service.sign_in_on_page();
    // An instance redeemed it and died before it could save the turn.
    let user = User { channel: "msteams".to_owned(), id: "ann é".to_owned() };
    let redeemed = user_tokens(&talk.service).token(&user, "hub", Some(CODE)).await.unwrap();
    assert!(redeemed.is_some());
    talk.say(CODE).await;
    talk.hears("signed in: t0ken of ann é at msteams").await;
}

#[tokio::test]
async fn a_turn_that_is_tried_again_brings_its_code_once() {
    let mut talk = Talk::start("msteams", MINUTE).await;
    talk.card().await;
    talk.service.sign_in_on_page();
    // Another instance commits a turn of this conversation in the meantime, so ours loses the race.
    let bot = Bot::new().on_message(async |_: Turn| Ok(()));
    let (sender, _replies) = mpsc::unbounded_channel();
    let other = Engine::builder(bot, Arc::clone(&talk.store) as _, Arc::new(Shown(sender)));
    let other = other.start();
    let message = talk.addressed(json!({"type": "message", "text": "me too"}));
    talk.service.meddle(other.clone(), message);
    talk.say(CODE).await;
    talk.hears("signed in: t0ken of ann é at msteams").await;
    assert_eq!((other.stats().turns, talk.engine.stats().conflicts), (1, 1));
    assert_eq!(talk.service.codes(), 1);
}
