//! Test fixture: instances of a bot that channels and two other bots may call.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use futures_util::TryStreamExt;
use sayso_channel::{
    Connector, ConnectorOptions, EndpointOptions, ServiceUrls, SkillCaller,
    auth::{AuthOptions, Authenticator, Cloud, Secret, Tokens},
    router,
};
use sayso_turn::{
    Bot, Engine, Limits, Turn,
    activity::Activity,
    clock::SystemClock,
    store::{MemoryStore, Store},
};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::login::{Login, audience, of_app, of_channel};
use crate::{
    auth::{
        issuer::{Asked, Page, Pages},
        world::{APP, ISSUER},
    },
    support::{
        PATIENCE,
        client::{self, Reply},
        serve, with,
    },
};

/// Two bots that may call, and one that may not.
pub(crate) const PARENT: &str = "99999999-aaaa-2222-bbbb-333333333333";
pub(crate) const OTHER: &str = "88888888-aaaa-2222-bbbb-333333333333";
pub(crate) const STRANGER: &str = "77777777-aaaa-2222-bbbb-333333333333";
/// The audience of tokens for channels.
pub(crate) const CHANNELS: &str = "https://api.botframework.com";

/// A channel or a bot with a server of its own, which takes what it is sent.
pub(crate) struct Peer {
    pub(crate) pages: Pages,
}

/// The bot, its store, and everybody around it.
pub(crate) struct World {
    pub(crate) login: Login,
    pub(crate) channel: Peer,
    pub(crate) parent: Peer,
    pub(crate) other: Peer,
    pub(crate) store: Arc<dyn Store>,
}

/// An instance of the bot.
pub(crate) struct Instance {
    pub(crate) address: SocketAddr,
    pub(crate) engine: Engine,
}

/// A secret of somebody, to see who can read it.
#[derive(Default, serde::Serialize, serde::Deserialize)]
struct Note {
    text: String,
}

/// A bot that remembers, rings later, ends conversations, and answers invokes.
pub(crate) fn bot() -> Bot {
    Bot::new()
        .on_message(async |mut turn: Turn| {
            let text = turn.text().to_owned();
            match text.split_once(' ') {
                Some(("remember", note)) => {
                    note.clone_into(&mut turn.conversation::<Note>()?.text);
                    note.clone_into(&mut turn.user::<Note>().await?.text);
                    note.clone_into(&mut turn.private::<Note>().await?.text);
                    turn.say("noted");
                }
                Some(("ring", after)) => {
                    let after = Duration::from_millis(after.parse()?);
                    drop(turn.after(after, Activity::event("ring")));
                    turn.say("later");
                }
                _ if text == "recall" => {
                    let conversation = turn.conversation::<Note>()?.text.clone();
                    let user = turn.user::<Note>().await?.text.clone();
                    let private = turn.private::<Note>().await?.text.clone();
                    turn.say(format!("[{conversation}] [{user}] [{private}]"));
                }
                _ if text == "end" => {
                    let end = Activity::end_of_conversation().with_code("completedSuccessfully");
                    turn.send(end.with_value(&json!({"answer": 42}))?);
                }
                _ => {
                    let (channel, on) = (turn.activity().channel(), turn.activity().skill_caller());
                    let line = format!("{text} on {channel} for {}", on.unwrap_or("nobody"));
                    turn.say(line);
                }
            }
            Ok(())
        })
        .on_event("ring", async |mut turn: Turn| {
            turn.say("ring");
            Ok(())
        })
        .on_end_of_conversation(async |mut turn: Turn| {
            turn.state().clear();
            Ok(())
        })
        .on_invoke("add", async |mut turn: Turn| Ok(turn.respond(200, &json!({"sum": 7}))?))
}

impl Peer {
    async fn start() -> Self {
        Self { pages: Pages::start().await }
    }

    pub(crate) fn url(&self) -> String {
        self.pages.url("/")
    }

    /// Takes messages of a conversation, or not.
    pub(crate) fn takes(&self, conversation: &str, status: u16) {
        for reply_to in ["", "/1", "/2", "/one", "/end"] {
            let path = format!("/v3/conversations/{conversation}/activities{reply_to}");
            self.pages.set(&path, Page::Status(status, json!({"id": "given"})));
        }
    }

    /// The requests so far: the audience of the token, the type, and the text.
    pub(crate) fn came(&self) -> Vec<(String, String, String)> {
        let read = |asked: Asked| {
            let body: Value = serde_json::from_str(&asked.body).unwrap_or_default();
            let text = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
            (audience(asked.authorization.as_deref()), text("type"), text("text"))
        };
        self.pages.asked().into_iter().map(read).collect()
    }

    /// Waits until a text came, and gives the audience of its token.
    pub(crate) async fn token_with(&self, wanted: &str) -> String {
        let began = Instant::now();
        loop {
            if let Some((token, ..)) = self.came().into_iter().find(|(.., text)| text == wanted) {
                return token;
            }
            assert!(began.elapsed() < PATIENCE, "{wanted} never came: {:?}", self.came());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

impl World {
    pub(crate) async fn start() -> Self {
        let login = Login::start().await;
        let [channel, parent, other] =
            [Peer::start().await, Peer::start().await, Peer::start().await];
        let store = Arc::new(MemoryStore::default());
        Self { login, channel, parent, other, store }
    }

    pub(crate) fn callers(&self) -> Vec<SkillCaller> {
        let caller = |app_id: &str, url| SkillCaller {
            app_id: app_id.to_owned(),
            service_urls: ServiceUrls::Only(vec![url]),
        };
        // Case does not matter.
        vec![caller(&PARENT.to_uppercase(), self.parent.url()), caller(OTHER, self.other.url())]
    }

    /// Starts an instance of the bot over the store, with these callers.
    pub(crate) async fn instance(&self, bot: Bot, skill_callers: Vec<SkillCaller>) -> Instance {
        let options = AuthOptions {
            cloud: Cloud {
                metadata: self.login.url("/metadata"),
                issuer: ISSUER.to_owned(),
                login_metadata: self.login.url("/login-metadata"),
                login: self.login.url(""),
                service_urls: ServiceUrls::Only(vec![self.channel.url()]),
                ..Cloud::public()
            },
            password: Some(Secret::new("p4ss")),
            skill_callers,
            ..AuthOptions::new(APP)
        };
        let clock = Arc::new(SystemClock::new());
        let auth = Authenticator::new(&options, Arc::clone(&clock) as _).unwrap();
        let connector = Connector::new(ConnectorOptions {
            service_urls: options.cloud.service_urls.clone(),
            tokens: Some(Tokens::new(&options, clock).unwrap()),
            skill_callers: options.skill_callers.clone(),
            ..Default::default()
        });
        let limits = Limits {
            sweep_every: Duration::from_millis(100),
            send_backoff_max: Duration::from_millis(100),
            ..Limits::default()
        };
        let connector = Arc::new(connector.unwrap());
        let engine = Engine::builder(bot, Arc::clone(&self.store), connector).limits(limits);
        let engine = engine.start();
        let endpoint = EndpointOptions {
            service_urls: options.cloud.service_urls,
            auth: auth.into(),
            ..Default::default()
        };
        Instance { address: serve(router(engine.clone(), endpoint)).await, engine }
    }

    /// A message of a user in a conversation.
    pub(crate) fn message(&self, text: &str) -> Value {
        json!({
            "type": "message", "id": "1", "text": text, "channelId": "msteams",
            "from": {"id": "29:ann"}, "recipient": {"id": "28:bot"}, "conversation": {"id": "c1"},
        })
    }

    pub(crate) async fn keys(&self) -> Vec<String> {
        let keys: Vec<_> = self.store.list("").try_collect().await.unwrap();
        keys.into_iter().map(|key: sayso_turn::Key| key.as_str().to_owned()).collect()
    }
}

impl Instance {
    /// An activity of the channel.
    pub(crate) async fn from_channel(&self, world: &World, activity: Value) -> Reply {
        let url = world.channel.url();
        self.post(&of_channel(APP, &url), with(activity, json!({"serviceUrl": url}))).await
    }

    /// An activity of another bot, whose replies go to that peer.
    pub(crate) async fn from_bot(&self, caller: &str, peer: &Peer, activity: Value) -> Reply {
        self.post(&of_app(caller, APP), with(activity, json!({"serviceUrl": peer.url()}))).await
    }

    async fn post(&self, token: &str, activity: Value) -> Reply {
        let bearer = format!("Bearer {token}");
        let headers = [("content-type", "application/json"), ("authorization", &*bearer)];
        let line = "POST /api/messages HTTP/1.1";
        client::request(self.address, line, &headers, activity.to_string().as_bytes()).await
    }
}

/// The texts of the replies in an answer.
pub(crate) fn texts(reply: &Reply) -> Vec<String> {
    assert_eq!(reply.status, 200, "{reply:?}");
    let body = reply.json();
    let all = body["activities"].as_array().unwrap();
    all.iter().map(|one| one["text"].as_str().unwrap_or_default().to_owned()).collect()
}
