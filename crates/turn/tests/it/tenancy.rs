//! Bots and tenants that share a store: the same ids, and nothing else in common.

use std::time::Duration;

use sayso_turn::{
    Bot, BotError, Documents, Error, Key, KeyError, KeyScheme, Logic, Turn,
    activity::{Activity, Reference},
};

use crate::world::{World, log_bot};

fn scheme() -> KeyScheme {
    KeyScheme::default().by_tenant(true)
}

/// A message on Teams from the user `u` in the conversation `c`.
fn from(tenant: &str, id: &str, text: &str) -> Activity {
    let json = format!(
        r#"{{"type":"message","id":"{id}","channelId":"msteams","serviceUrl":"http://127.0.0.1/",
            "conversation":{{"id":"c","tenantId":"{tenant}"}},"from":{{"id":"u"}},
            "recipient":{{"id":"bot"}},"text":"{text}"}}"#
    );
    Activity::from_json(json.as_bytes()).unwrap()
}

/// The same, with the tenant where Teams has it when the conversation does not name it.
fn from_data(tenant: &str, id: &str, text: &str) -> Activity {
    let mut activity = from("", id, text);
    activity.conversation.as_mut().unwrap().tenant_id = None;
    activity
        .with_channel_data(&serde_json::json!({"team": {"id": "t"}, "tenant": {"id": tenant}}))
        .unwrap()
}

/// Counts in every document that a turn can open.
async fn count(mut turn: Turn) -> Result<(), BotError> {
    let key = Key::new("orders/7")?;
    let counts = [
        {
            let n = turn.state().named::<u32>("n")?;
            *n += 1;
            *n
        },
        {
            let n = turn.user_state().await?.named::<u32>("n")?;
            *n += 1;
            *n
        },
        {
            let n = turn.private::<Private>().await?;
            n.n += 1;
            n.n
        },
        {
            let n = turn.custom(key).await?.named::<u32>("n")?;
            *n += 1;
            *n
        },
    ];
    turn.say(format!("{counts:?}"));
    Ok(())
}

#[derive(Default, serde::Serialize, serde::Deserialize)]
struct Private {
    n: u32,
}

/// Remembers its reference, and says when its timer fires.
fn reminder() -> Bot {
    Bot::new()
        .on_message(async |mut turn: Turn| {
            let reference = turn.reference();
            *turn.state().named::<Option<Reference>>("reference")? = Some(reference);
            turn.after(Duration::from_secs(60), Activity::event("remind"));
            Ok(())
        })
        .on_event("remind", async |mut turn: Turn| {
            *turn.state().named::<u32>("fired")? += 1;
            turn.say("time!");
            Ok(())
        })
}

async fn property<T: serde::de::DeserializeOwned>(world: &World, key: &str, name: &str) -> T {
    let document = world.store.document(key).await.expect("the document is there");
    document.bag.get(name).unwrap().expect("the property is there")
}

#[tokio::test(start_paused = true)]
async fn tenants_with_the_same_ids_share_nothing() {
    let world = World::new();
    let bot = Bot::new().keys(scheme()).on_message(count);
    let instance = world.start(bot);
    for (tenant, id) in [("a", "1"), ("b", "1"), ("a", "2"), ("~~a/msteams", "1"), ("", "1")] {
        instance.engine.receive(from(tenant, id, "hi")).await.unwrap();
    }
    instance.engine.close(Duration::from_secs(60)).await;
    let mut said = world.channel.texts();
    said.sort();
    let once = "[1, 1, 1, 1]";
    assert_eq!(said, [once, once, once, once, "[2, 2, 2, 2]"]);
    for (key, n) in [
        ("~~a/msteams/users/u", 2),
        ("~~a/msteams/conversations/c", 2),
        ("~~a/orders/7", 2),
        ("~~b/msteams/users/u", 1),
        ("~~_/msteams/users/u", 1),
        ("~~_7e_7ea_2fmsteams/orders/7", 1),
    ] {
        assert_eq!(property::<u32>(&world, key, "n").await, n, "{key}");
    }
    assert!(world.store.document("msteams/users/u").await.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_reference_and_a_timer_lead_back_to_the_tenant() {
    let world = World::new();
    let instance = world.start(reminder().keys(scheme()));
    instance.engine.receive(from_data("a", "1", "hi")).await.unwrap();
    let key = "~~a/msteams/conversations/c";
    let reference: Reference = property(&world, key, "reference").await;
    let tenant = reference.conversation.as_ref().and_then(|c| c.tenant_id.as_deref());
    assert_eq!(tenant, Some("a"), "the reference carries it");
    let mark = async |mut turn: Turn| {
        *turn.state().named::<bool>("resumed")? = true;
        Ok(())
    };
    instance.engine.resume(&reference, "r", mark).await.unwrap();
    assert!(property::<bool>(&world, key, "resumed").await);
    tokio::time::sleep(Duration::from_secs(70)).await;
    assert_eq!(property::<u32>(&world, key, "fired").await, 1);
    let loads = world.store.document("~~_/msteams/conversations/c").await;
    assert!(loads.is_none(), "nothing is without a tenant");
}

#[tokio::test(start_paused = true)]
async fn a_bot_leaves_what_is_due_to_the_bot_it_belongs_to() {
    let world = World::new();
    let keys = |bot| KeyScheme::default().bot(bot);
    let first = world.start(reminder().keys(keys("first")));
    first.engine.receive(from("a", "1", "hi")).await.unwrap();
    first.kill();
    let others: Vec<_> = [keys("second"), keys("first").by_tenant(true), KeyScheme::default()]
        .map(|keys| world.start(reminder().keys(keys)))
        .into();
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert_eq!(world.channel.texts(), [""; 0], "nobody else fires it");
    for other in &others {
        assert_eq!((other.engine.stats().fired, other.engine.stats().recovered), (0, 0));
        assert!(other.engine.stats().looks > 0, "they look");
    }
    let heir = world.start(reminder().keys(keys("first")));
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(world.channel.texts(), ["time!"]);
    assert_eq!(heir.engine.stats().fired, 1);
}

#[tokio::test(start_paused = true)]
async fn bots_with_the_same_conversation_answer_for_themselves() {
    let world = World::new();
    let [first, second] =
        ["first", "second"].map(|bot| world.start(log_bot().keys(KeyScheme::default().bot(bot))));
    let known = first.engine.receive(from("a", "1", "one")).await.unwrap();
    let other = second.engine.receive(from("a", "1", "two")).await.unwrap();
    assert!(!known.is_repeat && !other.is_repeat, "the same id in another bot is another turn");
    let [own, theirs] =
        ["~first/", "~second/"].map(|scope| format!("{scope}msteams/conversations/c"));
    assert_eq!(property::<Vec<String>>(&world, &own, "log").await, ["one"]);
    assert_eq!(property::<Vec<String>>(&world, &theirs, "log").await, ["two"]);
    let theirs = Key::new(theirs).unwrap();
    let refused = first.engine.drop_parked(&theirs, None).await.unwrap_err();
    assert!(matches!(refused, Error::Invalid(KeyError::Foreign)), "{refused}");
    assert_eq!(second.engine.drop_parked(&theirs, None).await.unwrap(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_server_s_scheme_counts_more_than_the_bot_s() {
    let world = World::new();
    let builder = sayso_turn::Engine::builder(
        log_bot().keys(scheme()),
        std::sync::Arc::clone(&world.store) as _,
        std::sync::Arc::clone(&world.channel) as _,
    );
    let engine = builder.keys(KeyScheme::default().bot("served")).start();
    engine.receive(from("a", "1", "hi")).await.unwrap();
    assert!(world.store.document("~served/msteams/conversations/c").await.is_some());
}

#[tokio::test]
async fn a_pure_run_has_the_keys_of_the_engine() {
    let bot = Bot::new().keys(scheme().bot("x")).on_message(count);
    let activity = from_data("a", "1", "hi");
    let key = Logic::keys(&bot).key_of(&activity).unwrap();
    let outcome = sayso_turn::run(&bot, activity, Documents::new()).await.unwrap();
    let keys: Vec<&str> = outcome.documents.keys().map(Key::as_str).collect();
    assert_eq!(
        keys,
        [
            "~x~a/msteams/conversations/c",
            "~x~a/msteams/conversations/c/users/u",
            "~x~a/msteams/users/u",
            "~x~a/orders/7",
        ]
    );
    assert_eq!(key.as_str(), keys[0]);
}
