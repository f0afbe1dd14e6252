//! Dead letters: tried again or dropped, one by one or all of a channel.

use std::sync::{Arc, OnceLock};

use sayso_turn::{
    Bot, BotError, DeliveryPolicy, Engine, Error, Key, MessageId, Turn,
    activity::Activity,
    channel::Delivery,
    clock::Timestamp,
    document::Ledger,
    id::ReplyId,
    store::{Expect, Store, Write},
};
use tokio::time::sleep;

use super::{key, later, parked, refused, secs, times, words};
use crate::world::{CONVERSATION, Fault, Instance, Step, World, message, message_in};

fn bot() -> Bot {
    words(DeliveryPolicy::repeat())
}

/// A conversation with so many parked replies: `p0`, `p1`, ...
async fn with_parked(world: &World, instance: &Instance, count: usize) {
    world.channel.script((0..count).map(|_| refused()));
    let texts: Vec<_> = (0..count).map(|n| format!("p{n}")).collect();
    instance.say("parked", &texts.join(" ")).await.unwrap();
    world.until_delivered().await;
    assert_eq!(parked(instance).await.len(), count);
}

#[tokio::test(start_paused = true)]
async fn parked_replies_are_tried_again_behind_what_waits_in_their_order_and_once() {
    let world = World::new();
    let instance = world.start(bot());
    with_parked(&world, &instance, 3).await;
    world.channel.script([later(Some(5))]);
    instance.say("2", "a b").await.unwrap();
    assert_eq!(instance.engine.retry_parked(&key(), None).await.unwrap(), 3);
    assert_eq!(instance.engine.retry_parked(&key(), None).await.unwrap(), 0, "they wait");
    instance.say("3", "c").await.unwrap();
    world.until_delivered().await;
    assert_eq!(world.channel.texts(), ["a", "b", "p0", "p1", "p2", "c"]);
    assert!(parked(&instance).await.is_empty());
    let ids = world.channel.ids();
    let unique: std::collections::BTreeSet<_> = ids.iter().collect();
    assert_eq!(unique.len(), ids.len());
    assert_eq!(instance.engine.stats().repeats, 0);
}

#[tokio::test(start_paused = true)]
async fn what_is_refused_again_is_parked_again() {
    let world = World::new();
    let instance = world.start(bot());
    with_parked(&world, &instance, 2).await;
    world.channel.script([refused()]);
    assert_eq!(instance.engine.retry_parked(&key(), None).await.unwrap(), 2);
    world.until_delivered().await;
    assert_eq!(world.channel.texts(), ["p1"]);
    let left = parked(&instance).await;
    assert_eq!(left.len(), 1);
    assert_eq!(instance.engine.retry_parked(&key(), Some(&left[0].id)).await.unwrap(), 1);
    world.until_delivered().await;
    assert_eq!(world.channel.texts(), ["p1", "p0"]);
}

#[tokio::test(start_paused = true)]
async fn one_parked_reply_is_tried_again_or_dropped_and_the_others_stay() {
    let world = World::new();
    let instance = world.start(bot());
    with_parked(&world, &instance, 4).await;
    let ids: Vec<ReplyId> =
        parked(&instance).await.iter().map(|parked| parked.id.clone()).collect();
    let engine = &instance.engine;
    assert_eq!(engine.retry_parked(&key(), Some(&ids[2])).await.unwrap(), 1);
    assert_eq!(engine.drop_parked(&key(), Some(&ids[1])).await.unwrap(), 1);
    assert_eq!(engine.drop_parked(&key(), Some(&ids[1])).await.unwrap(), 0, "it is gone");
    assert_eq!(engine.retry_parked(&key(), Some(&ids[1])).await.unwrap(), 0, "it is gone");
    world.until_delivered().await;
    assert_eq!(world.channel.texts(), ["p2"]);
    let left: Vec<_> = parked(&instance).await.iter().map(|parked| parked.id.clone()).collect();
    assert_eq!(left, [ids[0].clone(), ids[3].clone()]);
    assert_eq!(engine.drop_parked(&key(), None).await.unwrap(), 2);
    assert!(parked(&instance).await.is_empty());
    assert_eq!(world.channel.texts(), ["p2"], "nothing else was sent");
}

#[tokio::test(start_paused = true)]
async fn an_id_or_a_conversation_that_is_not_known_changes_nothing() {
    let world = World::new();
    let instance = world.start(bot());
    let engine = &instance.engine;
    let nowhere = Key::new("test/conversations/nowhere").unwrap();
    let id = {
        with_parked(&world, &instance, 1).await;
        parked(&instance).await[0].id.clone()
    };
    for which in [None, Some(&id)] {
        assert_eq!(engine.retry_parked(&nowhere, which).await.unwrap(), 0);
        assert_eq!(engine.drop_parked(&nowhere, which).await.unwrap(), 0);
    }
    assert!(engine.parked(&nowhere).await.unwrap().is_empty());
    assert!(world.store.document(nowhere.as_str()).await.is_none(), "nothing is written");
    instance.say("2", "a").await.unwrap();
    world.until_delivered().await;
    let writes = world.ledger().await.rev;
    let unknown: ReplyId = serde_json::from_str("\"0123.7\"").unwrap();
    assert_eq!(engine.drop_parked(&key(), Some(&unknown)).await.unwrap(), 0);
    assert_eq!(engine.retry_parked(&key(), Some(&unknown)).await.unwrap(), 0);
    assert_eq!(world.ledger().await.rev, writes, "nothing is written");
    assert_eq!(parked(&instance).await.len(), 1);
}

/// An operator asks any instance, also one that has an older version of the conversation in memory.
#[tokio::test(start_paused = true)]
async fn an_operator_may_ask_an_instance_that_does_not_know_of_the_parked_replies_yet() {
    for of_channel in [false, true] {
        let world = World::new();
        let [asked, other] = [world.start(bot()), world.start(bot())];
        asked.say("1", "a").await.unwrap();
        world.until_delivered().await;
        sleep(secs(5)).await;
        with_parked(&world, &other, 2).await;
        sleep(secs(5)).await;
        let count = match of_channel {
            true => asked.engine.retry_parked_of("test").await.unwrap(),
            false => asked.engine.retry_parked(&key(), None).await.unwrap(),
        };
        assert_eq!(count, 2);
        world.until_delivered().await;
        assert_eq!(world.channel.texts(), ["a", "p0", "p1"]);

        asked.say("2", "b").await.unwrap();
        world.until_delivered().await;
        sleep(secs(5)).await;
        world.channel.script([refused()]);
        other.say("3", "c").await.unwrap();
        world.until_delivered().await;
        assert_eq!(asked.engine.drop_parked(&key(), None).await.unwrap(), 1);
        assert!(parked(&other).await.is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn two_operators_at_two_instances_try_each_reply_again_once() {
    let world = World::new();
    let [one, two] = [world.start(bot()), world.start(bot())];
    with_parked(&world, &one, 5).await;
    let tried = |instance: &Instance| {
        let engine = instance.engine.clone();
        async move { engine.retry_parked(&key(), None).await.unwrap() }
    };
    let (first, second) = tokio::join!(tried(&one), tried(&two));
    assert_eq!(first + second, 5, "{first} and {second}");
    world.until_delivered().await;
    sleep(secs(60)).await;
    assert_eq!(world.channel.texts(), ["p0", "p1", "p2", "p3", "p4"]);
}

#[tokio::test(start_paused = true)]
async fn an_operation_whose_answer_is_lost_is_done_once_and_counted_right() {
    for fault in [Fault::LostAnswer, Fault::LostRequest, Fault::Conflict, Fault::Throttled(None)] {
        let world = World::new();
        let instance = world.start(bot());
        with_parked(&world, &instance, 3).await;
        world.store.fail_saves([fault.clone()]);
        assert_eq!(instance.engine.retry_parked(&key(), None).await.unwrap(), 3, "{fault:?}");
        world.until_delivered().await;
        assert_eq!(world.channel.texts(), ["p0", "p1", "p2"], "{fault:?}");
    }
}

/// An operator decides: what was withheld or had expired is sent, whatever its policy was.
#[tokio::test(start_paused = true)]
async fn what_a_policy_kept_back_is_sent_when_an_operator_asks_for_it() {
    let world = World::new();
    let instance = world.start(bot());
    let lost = Delivery::Unknown { reason: "reset".into() };
    world.channel.script([Step::Answer(lost), later(None), later(Some(100))]);
    instance.say("1", "a-once b-minute").await.unwrap();
    world.until_delivered().await;
    assert!(world.channel.texts().is_empty());
    let reasons: Vec<_> = parked(&instance).await.iter().map(|p| p.reason.clone()).collect();
    assert_eq!(reasons.len(), 2, "{reasons:?}");
    assert_eq!(instance.engine.retry_parked(&key(), None).await.unwrap(), 2);
    world.until_delivered().await;
    assert_eq!(world.channel.texts(), ["a-once", "b-minute"]);
    assert_eq!(instance.engine.stats().repeats, 1, "the first may have arrived before");
}

fn in_channel(channel: &str, conversation: &str, id: &str, text: &str) -> Activity {
    let channel_id = Some(channel.to_owned());
    Activity { channel_id, ..message_in(conversation, id, text) }
}

#[tokio::test(start_paused = true)]
async fn all_of_a_channel_are_tried_again_or_dropped_and_no_other_channel_s() {
    let world = World::new();
    let instance = world.start(bot());
    *world.channel.always.lock().unwrap() = Some(refused());
    for n in 0..6 {
        for channel in ["test", "test2", "tes"] {
            let said = in_channel(channel, &format!("c{n}"), "1", &format!("{channel}.{n}"));
            instance.engine.receive(said).await.unwrap();
        }
    }
    sleep(secs(30)).await;
    *world.channel.always.lock().unwrap() = None;
    assert_eq!(instance.engine.retry_parked_of("test").await.unwrap(), 6);
    sleep(secs(30)).await;
    let mut texts = world.channel.texts();
    texts.sort();
    assert_eq!(texts, ["test.0", "test.1", "test.2", "test.3", "test.4", "test.5"]);
    assert_eq!(instance.engine.drop_parked_of("tes").await.unwrap(), 6);
    assert_eq!(instance.engine.retry_parked_of("tes").await.unwrap(), 0);
    assert_eq!(instance.engine.retry_parked_of("nobody").await.unwrap(), 0);
    assert_eq!(instance.engine.drop_parked_of("test2").await.unwrap(), 6);
    sleep(secs(30)).await;
    assert_eq!(world.channel.texts().len(), 6);
}

/// One conversation that cannot be read must not keep the operator from all those behind it.
#[tokio::test(start_paused = true)]
async fn a_damaged_conversation_does_not_keep_the_rest_of_its_channel_parked() {
    let world = World::new();
    let instance = world.start(bot());
    world.channel.script([refused(), refused()]);
    for conversation in ["a", "z"] {
        let said = message_in(conversation, "1", conversation);
        instance.engine.receive(said).await.unwrap();
    }
    sleep(secs(30)).await;
    let (key, expect) = (Key::new("test/conversations/m").unwrap(), Expect::Absent);
    let write = Write::new(key, expect, "damaged");
    world.store.inner.save(write).await.unwrap();
    let tried = instance.engine.retry_parked_of("test").await;
    assert!(tried.is_err(), "an operator hears of it");
    sleep(secs(30)).await;
    let mut texts = world.channel.texts();
    texts.sort();
    assert_eq!(texts, ["a", "z"]);
}

/// A message that was parked and tried again is one like any other: it can be changed later.
#[tokio::test(start_paused = true)]
async fn a_message_that_arrived_after_it_was_parked_can_be_changed() {
    let bot = Bot::new().on_message(async |mut turn: Turn| {
        let kept = turn.state().named::<Option<MessageId>>("message")?.clone();
        match kept {
            None => {
                let message = turn.say("before");
                *turn.state().named("message")? = Some(message);
            }
            Some(message) => turn.update(&message, Activity::message("after")),
        }
        Ok::<_, BotError>(())
    });
    let world = World::new();
    let instance = world.start(bot);
    world.channel.script([refused()]);
    instance.say("1", "say").await.unwrap();
    world.until_delivered().await;
    world.channel.script([Step::TakeAnd(Delivery::Delivered { id: Some("c1".into()) })]);
    assert_eq!(instance.engine.retry_parked(&key(), None).await.unwrap(), 1);
    world.until_delivered().await;
    sleep(secs(5)).await;
    instance.say("2", "change").await.unwrap();
    world.until_delivered().await;
    let change = ("messageUpdate".to_owned(), Some("c1".to_owned()), "after".to_owned());
    assert_eq!(world.channel.changes().last(), Some(&change), "{:?}", parked(&instance).await);
}

/// A handler that awaits an operation on its own conversation would wait for itself.
#[tokio::test(start_paused = true)]
async fn an_operation_on_one_s_own_conversation_from_its_handler_is_an_error_at_once() {
    let (world, handle) = (World::new(), Arc::new(OnceLock::<Engine>::new()));
    let engine = Arc::clone(&handle);
    let bot = Bot::new().on_message(move |mut turn: Turn| {
        let engine = engine.get().unwrap().clone();
        async move {
            let retried = engine.retry_parked(&key(), None).await;
            let dropped = engine.drop_parked(&key(), None).await;
            let is_told =
                |result: Result<usize, Error>| matches!(result, Err(Error::OwnConversation));
            turn.say(format!("{} {}", is_told(retried), is_told(dropped)));
            Ok::<_, BotError>(())
        }
    });
    let instance = world.start(bot);
    handle.set(instance.engine.clone()).unwrap();
    let began = tokio::time::Instant::now();
    instance.engine.receive(message("1", "x")).await.unwrap();
    assert!(began.elapsed() < secs(1), "{:?}", began.elapsed());
    world.until_delivered().await;
    assert_eq!(world.channel.texts(), ["true true"]);
}

#[tokio::test(start_paused = true)]
async fn a_parked_turn_is_only_dropped_and_what_is_parked_tells_the_kinds_apart() {
    let bot = Bot::new().on_message(async |turn: Turn| {
        sleep(secs(20)).await;
        drop(turn);
        Err::<(), BotError>("no".into())
    });
    let world = World::new();
    let instance = world.start(bot);
    instance.say("1", "long").await.unwrap();
    sleep(secs(60)).await;
    let left = parked(&instance).await;
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].kind, sayso_turn::document::ParkedKind::Turn);
    assert_eq!(instance.engine.retry_parked(&key(), None).await.unwrap(), 0);
    assert_eq!(instance.engine.drop_parked(&key(), None).await.unwrap(), 1);
    assert!(world.ledger().await.parked.is_empty(), "{CONVERSATION}");
    assert_eq!(times(&world, "long"), 0);
}

/// Keys and due times that a look names at a time.
async fn named(world: &World, now: Timestamp) -> Vec<(Key, Timestamp)> {
    let page = world.store.inner.due(now, None, 100).await.unwrap();
    page.found.into_iter().map(|due| (due.key, due.at)).collect()
}

#[tokio::test(start_paused = true)]
async fn dead_letters_are_found_by_who_looks_beyond_all_times_and_cost_no_write() {
    let world = World::new();
    let instance = world.start(bot());
    let writes = || instance.engine.store_stats().saves.calls;
    let turn = async |id: &str| {
        let before = writes();
        instance.say(id, "a").await.unwrap();
        world.until_delivered().await;
        writes() - before
    };
    let cost = turn("1").await;
    assert_eq!(named(&world, Ledger::PARKED).await, [], "nothing is parked");
    with_parked(&world, &instance, 1).await;
    let year_9999 = Timestamp::from_millis(Ledger::PARKED.as_millis() - 1);
    assert_eq!(named(&world, year_9999).await, [], "no sweep is told of it");
    assert_eq!(named(&world, Ledger::PARKED).await, [(key(), Ledger::PARKED)]);

    let before = writes();
    sleep(secs(3600)).await;
    assert_eq!(writes(), before, "a sweep leaves it alone");
    assert_eq!(turn("2").await, cost, "a turn costs as many writes as before");
    assert_eq!(named(&world, Ledger::PARKED).await, [(key(), Ledger::PARKED)]);

    instance.engine.drop_parked(&key(), None).await.unwrap();
    assert_eq!(named(&world, Ledger::PARKED).await, []);
}
