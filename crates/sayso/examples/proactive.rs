//! Proactive messages: a route of your own makes the bot speak without being asked.
//!
//! Whoever says `remind me` is remembered, with the reference of the conversation. `POST /remind`
//! continues the conversation of one of them, `POST /news` those of all, at a pace. Each has an id:
//! the same one again says nothing. Run it with `SAYSO_AUTH=none cargo run --example proactive`,
//! say `remind me` with the Agents Playground or the Emulator (what comes later goes to their
//! `serviceUrl`), then try
//!
//! ```sh
//! curl http://127.0.0.1:3978/remind -H 'content-type: application/json' \
//!   -d '{"id":"r1","user":"<the user id that the bot said>","text":"Time to stretch."}'
//! curl http://127.0.0.1:3978/news -H 'content-type: application/json' \
//!   -d '{"id":"n1","text":"There is a new menu."}'
//! ```

use std::{
    collections::BTreeMap,
    future::{Ready, ready},
    sync::Arc,
};

use axum::{Json, Router, extract::State, http::StatusCode, routing::post};
use sayso::{
    DEFAULT_STORE, Engine,
    activity::Reference,
    prelude::*,
    turn::{Pace, document::Document, store::Store},
};

/// Everybody who asked for reminders and news, by the id of the user.
type Readers = BTreeMap<String, Reference>;

/// The document with the readers, and the property in it.
const READERS: &str = "readers";

async fn listen(mut turn: Turn) -> Result {
    if turn.text().trim() != "remind me" {
        turn.say("Try: remind me");
        return Ok(());
    }
    let reference = turn.reference();
    let user = reference.user.as_ref().and_then(|user| user.id.clone());
    let user = user.ok_or("a message from nobody")?;
    let readers = turn.custom(Key::new(READERS)?).await?.named::<Readers>(READERS)?;
    readers.insert(user.clone(), reference);
    turn.say(format!("Okay, {user}, I will."));
    Ok(())
}

/// State of the routes.
#[derive(Clone)]
struct Office {
    engine: Engine,
    store: Arc<dyn Store>,
}

impl Office {
    async fn readers(&self) -> Result<Readers> {
        let key = Key::new(READERS)?;
        let Some(stored) = self.store.load(&key).await? else { return Ok(Readers::new()) };
        Ok(Document::parse(&key, &stored.body)?.bag.get(READERS)?.unwrap_or_default())
    }
}

#[derive(Deserialize)]
struct Reminder {
    /// The same id says the same thing: once.
    id: String,
    user: String,
    text: String,
}

#[derive(Deserialize)]
struct News {
    id: String,
    text: String,
}

type Answer = Result<String, (StatusCode, String)>;

fn later(error: impl Into<BotError>) -> (StatusCode, String) {
    (StatusCode::SERVICE_UNAVAILABLE, error.into().to_string())
}

async fn remind(State(office): State<Office>, Json(reminder): Json<Reminder>) -> Answer {
    let readers = office.readers().await.map_err(later)?;
    let Some(reference) = readers.get(&reminder.user) else {
        return Err((StatusCode::NOT_FOUND, "no reader has this id".to_owned()));
    };
    // A turn like any other, in line with those of the user.
    let said = office.engine.resume(reference, &reminder.id, says(reminder.text));
    let answer = said.await.map_err(later)?;
    Ok(if answer.is_repeat { "said before" } else { "said" }.to_owned())
}

async fn news(State(office): State<Office>, Json(news): Json<News>) -> Answer {
    let readers = office.readers().await.map_err(later)?.into_values();
    let pace = Pace { per_second: 20, ..Pace::default() };
    let told = office.engine.broadcast(readers, &news.id, pace, says(news.text)).await;
    let (done, repeated, failed) = (told.done, told.repeated, told.failed.len());
    Ok(format!("{done} told, {repeated} told before, {failed} failed"))
}

/// A handler that says this.
fn says(text: String) -> impl Fn(Turn) -> Ready<Result> {
    move |mut turn| {
        turn.say(text.as_str());
        ready(Ok(()))
    }
}

fn bot() -> Bot {
    Bot::new().on_message(listen)
}

fn routes(office: Office) -> Router {
    Router::new().route("/remind", post(remind)).route("/news", post(news)).with_state(office)
}

#[tokio::main]
async fn main() -> Result {
    let store = sayso::open_store(DEFAULT_STORE).await?;
    let server = Server::new(bot()).auth_from_env()?.store(Arc::clone(&store));
    Ok(server.routes(move |engine| routes(Office { engine, store })).serve().await?)
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, time::Duration};

    use axum::extract::Path;
    use serde_json::{Value, json};
    use tokio::{net::TcpListener, sync::mpsc, time::timeout};

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(20);

    /// A channel that takes replies: gives its service URL, and what is said in which conversation.
    async fn channel() -> (String, mpsc::UnboundedReceiver<(String, String)>) {
        let (sender, said) = mpsc::unbounded_channel();
        let take = move |Path(path): Path<Vec<String>>, Json(reply): Json<Activity>| async move {
            drop(sender.send((path[0].clone(), reply.text().to_owned())));
            r#"{"id":"7"}"#
        };
        let (send, reply) =
            ("/v3/conversations/{c}/activities", "/v3/conversations/{c}/activities/{id}");
        let app = Router::new().route(send, post(take.clone())).route(reply, post(take));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        drop(tokio::spawn(async move { axum::serve(listener, app).await }));
        (url, said)
    }

    async fn send(url: String, body: Value) -> (u16, String) {
        let sent = reqwest::Client::new().post(url).json(&body).send().await.unwrap();
        (sent.status().as_u16(), sent.text().await.unwrap())
    }

    #[tokio::test]
    async fn one_is_reminded_and_all_get_the_news_once() {
        let (service_url, mut said) = channel().await;
        let store = sayso::open_store("memory://").await.unwrap();
        let server = Server::new(bot())
            .unauthenticated()
            .store(Arc::clone(&store))
            .address(([127, 0, 0, 1], 0));
        let running =
            server.routes(move |engine| routes(Office { engine, store })).start().await.unwrap();
        let url = running.url();
        let mut next = async || timeout(PATIENCE, said.recv()).await.unwrap().unwrap();
        for user in ["ann", "ben"] {
            let message = json!({ "type": "message", "id": "1", "text": "remind me",
                "channelId": "test", "serviceUrl": service_url, "from": { "id": user },
                "conversation": { "id": format!("with {user}") } });
            assert_eq!(send(format!("{url}/api/messages"), message).await.0, 200);
            assert_eq!(next().await, (format!("with {user}"), format!("Okay, {user}, I will.")));
        }

        let reminder = json!({ "id": "r1", "user": "ann", "text": "Time to stretch." });
        let remind = || send(format!("{url}/remind"), reminder.clone());
        assert_eq!(remind().await, (200, "said".to_owned()));
        assert_eq!(next().await, ("with ann".to_owned(), "Time to stretch.".to_owned()));
        assert_eq!(remind().await, (200, "said before".to_owned()));
        let nobody = json!({ "id": "r2", "user": "eve", "text": "?" });
        assert_eq!(send(format!("{url}/remind"), nobody).await.0, 404);

        let news = json!({ "id": "n1", "text": "There is a new menu." });
        for told in ["2 told, 0 told before, 0 failed", "0 told, 2 told before, 0 failed"] {
            assert_eq!(send(format!("{url}/news"), news.clone()).await, (200, told.to_owned()));
        }
        let heard = [next().await, next().await];
        assert!(heard.iter().all(|(_, text)| text == "There is a new menu."), "{heard:?}");
        let heard: BTreeSet<_> = heard.into_iter().map(|(conversation, _)| conversation).collect();
        assert_eq!(heard.len(), 2, "{heard:?}");
        assert_eq!(running.stop().await, 0);
        assert!(said.try_recv().is_err(), "nothing is said twice");
    }
}
