//! TTLs of single documents: set by a turn, or declared by the types of their properties.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use sayso_turn::{
    Bot, BotError, BotState, Documents, Key, Limits, State, Ttl, Turn, run,
    store::{Expect, Saved, Store, Write},
};
use serde::{Deserialize, Serialize};
use tokio::time::sleep;

use super::HOUR;
use crate::world::{CONVERSATION, MachineClock, World, message};

const MINUTE: Duration = Duration::from_secs(60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

const DOCUMENTS: [&str; 4] =
    [CONVERSATION, "test/users/u", "test/conversations/c/users/u", "of/its/own"];

/// Counts in each of the documents, and sets their TTL: `after 90 minutes`, `never`, `default`.
fn bot() -> Bot {
    fn count(state: &mut State, text: &str) -> Result<(), BotError> {
        *state.named::<u32>("count")? += 1;
        match text.split(' ').collect::<Vec<_>>()[..] {
            ["after", minutes, _] => state.expire_after(minutes.parse::<u32>()? * MINUTE),
            ["never"] => state.never_expire(),
            ["default"] => state.expire_by_default(),
            _ => {}
        }
        Ok(())
    }
    Bot::new().on_message(async |mut turn: Turn| {
        let text = turn.text().to_owned();
        count(turn.state(), &text)?;
        count(turn.user_state().await?, &text)?;
        count(turn.private_state().await?, &text)?;
        count(turn.custom(Key::new("of/its/own")?).await?, &text)
    })
}

/// A world where documents of every kind have this TTL.
fn world(ttl: Option<Duration>, has_transactions: bool) -> World {
    let mut world = World::new();
    let ttl = Ttl { conversation: ttl, user: ttl, private: ttl, other: ttl };
    world.limits = Limits { ttl, ..Limits::default() };
    world.store.has_steps.store(!has_transactions, Ordering::Relaxed);
    world
}

async fn are_there(world: &World) -> [bool; 4] {
    let mut there = [false; 4];
    for (is_there, key) in there.iter_mut().zip(DOCUMENTS) {
        *is_there = world.store.document(key).await.is_some();
    }
    there
}

#[tokio::test(start_paused = true)]
async fn a_turn_sets_the_ttl_of_a_document_for_every_instance_and_later_turns() {
    for has_transactions in [true, false] {
        for (of_kind, minutes) in [(None, 90), (Some(HOUR), 90), (Some(DAY), 90)] {
            let world = world(of_kind, has_transactions);
            let [one, other] = [world.start(bot()), world.start(bot())];
            one.say("1", &format!("after {minutes} minutes")).await.unwrap();
            sleep(30 * MINUTE).await;
            other.say("2", "hello").await.unwrap();
            sleep(85 * MINUTE).await;
            assert_eq!(are_there(&world).await, [true; 4], "{of_kind:?} {has_transactions}");
            sleep(7 * MINUTE).await;
            assert_eq!(are_there(&world).await, [false; 4], "{of_kind:?} {has_transactions}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_document_that_never_expires_does_so_again_when_a_turn_says_so() {
    for has_transactions in [true, false] {
        let world = world(Some(HOUR), has_transactions);
        let instance = world.start(bot());
        instance.say("1", "never").await.unwrap();
        sleep(2 * DAY).await;
        assert_eq!(are_there(&world).await, [true; 4], "{has_transactions}");
        instance.say("2", "default").await.unwrap();
        sleep(55 * MINUTE).await;
        assert_eq!(are_there(&world).await, [true; 4], "{has_transactions}");
        sleep(7 * MINUTE).await;
        assert_eq!(are_there(&world).await, [false; 4], "{has_transactions}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_failed_turn_has_set_does_not_count() {
    let world = world(Some(HOUR), true);
    let bot = Bot::new().on_message(async |mut turn: Turn| {
        *turn.state().named::<u32>("count")? += 1;
        if turn.text() == "fail" {
            turn.state().never_expire();
            return Err("it was asked to".into());
        }
        Ok(())
    });
    let instance = world.start(bot);
    instance.say("1", "count").await.unwrap();
    drop(instance.say("2", "fail").await);
    sleep(HOUR + MINUTE).await;
    assert!(world.document().await.is_none());
}

/// The tolerance towards wrong clocks goes by the document's own TTL: for that of its kind, an hour
/// would be within it.
#[tokio::test(start_paused = true)]
async fn a_wrong_clock_deletes_nothing_that_lives_by_its_own_ttl() {
    let world = world(Some(30 * DAY), true);
    let right = world.start(bot());
    right.say("1", "after 20 minutes").await.unwrap();
    let clock = MachineClock::default();
    clock.set_ahead(50 * MINUTE);
    let wrong = world.start_on(Arc::new(clock), bot());
    sleep(10 * MINUTE).await;
    assert_eq!(are_there(&world).await, [true; 4]);
    wrong.say("2", "hello").await.unwrap();
    let count: Option<u32> = world.store.bag(CONVERSATION).await.get("count").unwrap();
    assert_eq!(count, Some(2), "its user finds it as it was");
}

#[tokio::test(start_paused = true)]
async fn an_overdue_document_is_removed_once_it_was_watched_for_its_own_ttl() {
    let world = world(Some(30 * DAY), true);
    let gone = world.start(bot());
    gone.say("1", "after 20 minutes").await.unwrap();
    gone.kill();
    sleep(10 * HOUR).await;
    let _late = world.start(bot());
    sleep(15 * MINUTE).await;
    assert_eq!(are_there(&world).await, [true; 4], "this clock may be wrong");
    sleep(45 * MINUTE).await;
    assert_eq!(are_there(&world).await, [false; 4]);
}

/// A build that does not know TTLs of documents keeps the member, and dates by the kind.
#[tokio::test(start_paused = true)]
async fn a_document_for_ever_is_kept_although_an_older_build_has_dated_it() {
    let world = world(Some(HOUR), true);
    let key = Key::new(CONVERSATION).unwrap();
    let now = sayso_turn::clock::Clock::now(&crate::world::PausedClock);
    let at = now.after(MINUTE);
    let body = format!(
        r#"{{"count":1,"$sayso":{{"v":1,"turn":1,"rev":1,"write":"w","seen":"","expires":{},"ttl":{{"own":"never"}}}}}}"#,
        at.as_millis()
    );
    let (due, expires) = (Some(at), Some(at));
    let write = Write { due, expires, ..Write::new(key, Expect::Absent, body) };
    assert!(matches!(world.store.save(write).await.unwrap(), Saved::Committed(_)));
    let instance = world.start(bot());
    sleep(3 * HOUR).await;
    instance.say("2", "hello").await.unwrap();
    let count: Option<u32> = world.store.bag(CONVERSATION).await.get("count").unwrap();
    assert_eq!(count, Some(2));
}

#[derive(Default, BotState)]
#[state(version = 1, ttl = "1h")]
struct Order {
    toppings: Vec<String>,
}

#[derive(Default, BotState)]
#[state(version = 1, ttl = "3h")]
struct Basket {
    orders: Vec<Order>,
}

#[derive(Default, Serialize, Deserialize)]
struct Plain {
    order: Order,
}

/// The same property in another build, which declares nothing.
mod other {
    #[derive(Default, sayso_turn::BotState)]
    #[state(version = 1)]
    pub(super) struct Order {
        pub(super) toppings: Vec<String>,
    }
}

/// Changes or reads properties, each named by a word.
fn typed_bot() -> Bot {
    Bot::new().on_message(async |mut turn: Turn| {
        let text = turn.text().to_owned();
        for word in text.split(' ') {
            let more = || word.to_owned();
            match word {
                "order" => turn.conversation::<Order>()?.toppings.push(more()),
                "basket" => turn.conversation::<Basket>()?.orders.push(Order::default()),
                "plain" => turn.conversation::<Plain>()?.order.toppings.push(more()),
                "read" => drop(turn.conversation::<Basket>()?.orders.len()),
                "peek" => drop(turn.state().named::<serde_json::Value>("Order")?.is_null()),
                "other" => turn.conversation::<other::Order>()?.toppings.push(more()),
                "remove" => turn.state().remove("Plain"),
                "clear" => turn.state().clear(),
                "never" => turn.state().never_expire(),
                _ => {}
            }
        }
        Ok(())
    })
}

#[tokio::test]
async fn a_document_lives_as_long_as_any_of_its_types_allows() {
    let key = Key::new(CONVERSATION).unwrap();
    for (texts, of_kind, wanted) in [
        (&["order"][..], None, Some(HOUR)),
        (&["order"], Some(DAY), Some(HOUR)),
        (&["order basket"], None, Some(3 * HOUR)),
        (&["order basket"], Some(2 * HOUR), Some(3 * HOUR)),
        // A property without a TTL has that of the kind; a type inside one declares nothing.
        (&["order plain"], Some(2 * HOUR), Some(2 * HOUR)),
        (&["order plain"], None, None),
        (&["plain"], Some(DAY), Some(DAY)),
        (&["order plain", "remove"], None, Some(HOUR)),
        // Reading a property that is not there does not make it one.
        (&["order read"], None, Some(HOUR)),
        (&["order", "hello"], None, Some(HOUR)),
        (&["order", "peek"], Some(DAY), Some(HOUR)),
        // A build whose type declares nothing goes by the kind again.
        (&["order", "other"], Some(DAY), Some(DAY)),
        (&["order", "clear"], Some(DAY), Some(DAY)),
        (&["order", "never", "clear"], Some(DAY), None),
        (&["hello"], Some(DAY), Some(DAY)),
    ] {
        let mut documents = Documents::new();
        for (n, text) in texts.iter().enumerate() {
            let said = message(&n.to_string(), text);
            documents = run(&typed_bot(), said, documents).await.unwrap().documents;
        }
        assert_eq!(documents[&key].ttl(of_kind), wanted, "{texts:?} {of_kind:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_ttl_of_a_type_is_stored_with_its_documents() {
    let world = world(None, true);
    let instance = world.start(typed_bot());
    instance.say("1", "order").await.unwrap();
    let stored = world.store.load(&Key::new(CONVERSATION).unwrap()).await.unwrap().unwrap();
    assert!(stored.body.contains(r#""ttl":{"of":{"Order":3600}}"#), "{}", stored.body);
    instance.kill();
    // Whoever removes it need not know the type.
    let _other = world.start(bot());
    sleep(HOUR - MINUTE).await;
    assert!(world.document().await.is_some());
    sleep(2 * MINUTE).await;
    assert!(world.document().await.is_none());
}
