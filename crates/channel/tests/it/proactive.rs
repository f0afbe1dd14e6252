//! Proactive conversations, against a fake channel.

use std::{sync::Arc, time::Duration};

use sayso_channel::{
    BeginError, Begun, Connector, ConnectorOptions, NewConversation,
    client::{Client, Error},
};
use sayso_turn::{
    Bot, BotError, Engine, Key, Turn,
    activity::{Account, ConversationParameters},
    document::Document,
    store::{Expect, MemoryStore, Store, Write},
};
use serde_json::json;

use crate::support::{
    PATIENCE,
    sink::{Act, Sink},
    store::Broken,
};

/// An instance of a bot and its client.
struct Instance {
    client: Client,
    engine: Engine,
}

impl Instance {
    fn over(store: &Arc<MemoryStore>) -> Self {
        Self::new(Arc::<MemoryStore>::clone(store))
    }

    fn new(store: Arc<dyn Store>) -> Self {
        let connector = Connector::new(ConnectorOptions::default()).unwrap();
        let client = Client::from(&connector);
        let engine = Engine::builder(Bot::new(), store, Arc::new(connector)).start();
        Self { client, engine }
    }

    async fn begin(&self, service_url: &str, id: &str) -> Result<Begun, BeginError> {
        let pair = ConversationParameters::with(Account::new("bot"), Account::new("ann"));
        let new = NewConversation {
            service_url: service_url.to_owned(),
            channel_id: "msteams".to_owned(),
            parameters: pair.in_tenant("contoso"),
        };
        self.client.begin(&self.engine, &new, id, welcome).await
    }
}

async fn welcome(mut turn: Turn) -> Result<(), BotError> {
    *turn.state().named::<u32>("welcomes")? += 1;
    turn.say("Welcome!");
    Ok(())
}

fn memory() -> Arc<MemoryStore> {
    Arc::new(MemoryStore::default())
}

async fn made(conversation: &str) -> Sink {
    let body = json!({ "id": conversation }).to_string();
    Sink::start(Act::answer("201 Created", &[], &body)).await
}

/// The properties of a document.
async fn stored(store: &MemoryStore, conversation: &str) -> Option<String> {
    let key = Key::conversation("msteams", conversation).unwrap();
    let stored = store.load(&key).await.unwrap()?;
    Some(Document::parse(&key, &stored.body).unwrap().bag.to_json())
}

#[tokio::test]
async fn a_conversation_is_made_and_its_first_turn_runs_once_under_one_id_at_any_instance() {
    let (mut sink, store) = (made("a:1").await, memory());
    let url = sink.url();
    let (one, two) = (Instance::over(&store), Instance::over(&store));
    let begun = one.begin(&url, "w").await.unwrap();
    assert!(!begun.is_repeat && begun.doubts == 0, "{begun:?}");
    let reference = begun.reference;
    assert_eq!(reference.user, Some(Account::new("ann")));
    assert_eq!(reference.conversation.as_ref().unwrap().tenant_id.as_deref(), Some("contoso"));

    let creation = sink.next().await;
    assert_eq!(creation.line(), "POST /_connector/v3/conversations");
    let wanted = json!({"bot": {"id": "bot"}, "members": [{"id": "ann"}], "tenantId": "contoso"});
    assert_eq!(creation.json(), wanted);
    let first = sink.next().await;
    assert_eq!(first.line(), "POST /_connector/v3/conversations/a%3A1/activities");
    assert_eq!(
        (&first.json()["text"], &first.json()["recipient"]["id"]),
        (&json!("Welcome!"), &json!("ann"))
    );

    let again = two.begin(&url, "w").await.unwrap();
    assert!(again.is_repeat);
    assert_eq!(again.reference, reference);
    assert_eq!(stored(&store, "a:1").await.unwrap(), r#"{"welcomes":1}"#);
    assert_eq!((one.engine.close(PATIENCE).await, two.engine.close(PATIENCE).await), (0, 0));
    assert!(sink.came().is_none(), "nothing is made or said again");
}

#[tokio::test]
async fn another_id_makes_another_conversation() {
    let (mut sink, store) = (made("same").await, memory());
    let instance = Instance::over(&store);
    for id in ["w1", "w2"] {
        assert!(!instance.begin(&sink.url(), id).await.unwrap().is_repeat);
        assert_eq!(sink.next().await.line(), "POST /_connector/v3/conversations");
        assert!(sink.next().await.line().ends_with("/activities"));
    }
    assert_eq!(stored(&store, "same").await.unwrap(), r#"{"welcomes":2}"#);
}

#[tokio::test]
async fn what_the_channel_did_not_do_can_be_tried_again_at_once_and_leaves_no_doubt() {
    let store = memory();
    let instance = Instance::over(&store);
    let busy = Sink::start(Act::answer("429 Slow", &["retry-after: 7"], "")).await;
    for _ in 0..2 {
        let error = instance.begin(&busy.url(), "w").await.unwrap_err();
        assert!(error.is_retryable());
        let BeginError::Channel(Error::Throttled { after, .. }) = error else { panic!("{error}") };
        // The second call gets the remaining time.
        assert!(after.is_some_and(|wait| wait <= Duration::from_secs(7)), "{after:?}");
    }
    let no = Sink::start(Act::answer("403 No", &[], "")).await;
    let error = instance.begin(&no.url(), "w").await.unwrap_err();
    assert!(matches!(&error, BeginError::Channel(Error::Refused { .. })), "{error}");
    assert!(!error.is_retryable());
    let error = instance.begin("https://evil.example/", "w").await.unwrap_err();
    assert!(matches!(error, BeginError::Channel(Error::Refused { status: None, .. })), "{error}");
    let sink = made("c").await;
    assert_eq!(instance.begin(&sink.url(), "w").await.unwrap().doubts, 0);
}

#[tokio::test]
async fn an_answer_that_was_lost_is_told_and_counted_when_it_is_tried_again() {
    let instance = Instance::over(&memory());
    let lost = Sink::start(Act::Reset).await;
    let error = instance.begin(&lost.url(), "w").await.unwrap_err();
    assert!(matches!(error, BeginError::Channel(Error::Unknown { .. })), "{error}");
    let sink = made("c").await;
    let begun = instance.begin(&sink.url(), "w").await.unwrap();
    assert!(begun.doubts == 1 && !begun.is_repeat, "{begun:?}");
}

#[tokio::test]
async fn a_call_that_is_cut_off_keeps_others_from_making_it_twice() {
    let store = memory();
    let (one, two) = (Instance::over(&store), Instance::over(&store));
    let mut hanging = Sink::start(Act::WriteAndHang(b"HTTP/1.1 ".to_vec())).await;
    let url = hanging.url();
    let call = tokio::spawn(async move { one.begin(&url, "w").await.map(drop) });
    hanging.next().await;
    let mut sink = made("c").await;
    for _ in 0..2 {
        let error = two.begin(&sink.url(), "w").await.unwrap_err();
        assert!(matches!(error, BeginError::UnderWay) && error.is_retryable(), "{error}");
        call.abort();
    }
    assert!(sink.came().is_none());
    assert_eq!(stored(&store, "c").await, None);
}

#[tokio::test]
async fn a_crash_before_the_first_turn_is_made_good_by_the_next_call() {
    // The state after an instance died between the record and the turn.
    let (mut sink, store) = (made("another").await, memory());
    let key = Key::conversation("msteams", "sayso:begin:w").unwrap();
    let made = json!({ "conversation": "c9", "service_url": sink.url() });
    let body = json!({ "begin": { "made": made, "doubts": 0 } }).to_string();
    let write = Write::new(key, Expect::Absent, body);
    store.save(write).await.unwrap();
    let begun = Instance::over(&store).begin(&sink.url(), "w").await.unwrap();
    assert!(!begun.is_repeat, "its turn had not run");
    assert_eq!(begun.reference.conversation.unwrap().id.as_deref(), Some("c9"));
    assert!(sink.next().await.line().ends_with("/conversations/c9/activities"));
    assert_eq!(stored(&store, "c9").await.unwrap(), r#"{"welcomes":1}"#);
}

#[tokio::test]
async fn nothing_is_made_when_the_record_cannot_be_written() {
    let mut sink = made("c").await;
    let instance = Instance::new(Arc::new(Broken::Invalid));
    let error = instance.begin(&sink.url(), "w").await.unwrap_err();
    assert!(matches!(error, BeginError::Turn(_)), "{error}");
    assert!(sink.came().is_none());
}

#[tokio::test]
async fn the_record_holds_nothing_of_the_members() {
    let (sink, store) = (made("c").await, memory());
    Instance::over(&store).begin(&sink.url(), "w").await.unwrap();
    let key = Key::conversation("msteams", "sayso:begin:w").unwrap();
    let body = store.load(&key).await.unwrap().unwrap().body;
    assert!(body.contains(r#""conversation":"c""#) && !body.contains("ann"), "{body}");
}

#[tokio::test]
async fn a_place_that_the_channel_names_is_used_only_if_it_may_be_called() {
    for (named, is_used) in [("http://127.0.0.1:1/other", true), ("https://evil.example/", false)] {
        let body = json!({ "id": "c", "serviceUrl": named }).to_string();
        let sink = Sink::start(Act::answer("201 Created", &[], &body)).await;
        let begun = Instance::over(&memory()).begin(&sink.url(), "w").await.unwrap();
        let place = begun.reference.service_url.unwrap();
        assert_eq!(place == named, is_used, "{place}");
        assert!(is_used || place == sink.url());
    }
}
