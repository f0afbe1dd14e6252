//! Two builds of a bot on one store, as in a rolling deployment.

use std::{sync::Arc, time::Duration};

use sayso_turn::{
    Bot, BotError, Error, Failure, Key, Turn,
    activity::{Activity, Kind},
    store::Store,
};

use crate::world::{CONVERSATION, Step, World};

/// The build before: one topping.
mod old {
    #[derive(Default, sayso_turn::BotState)]
    #[state(version = 1)]
    pub(super) struct Order {
        pub(super) topping: String,
    }
}

/// Between the two.
mod new {
    use sayso_turn::{BotError, BotState};
    use serde_json::{Value, json};

    #[derive(Default, BotState)]
    #[state(version = 3, upcast(1 = from_v1, 2 = from_v2))]
    pub(super) struct Order {
        pub(super) all: Vec<String>,
    }

    fn from_v1(mut order: Value) -> Result<Value, BotError> {
        Ok(json!({ "toppings": [order["topping"].take()] }))
    }

    fn from_v2(mut order: Value) -> Result<Value, BotError> {
        Ok(json!({ "all": order["toppings"].take() }))
    }
}

/// Says what it knows and takes in what it hears, except for a few words.
fn old_bot() -> Bot {
    async fn hear(mut turn: Turn) -> Result<(), BotError> {
        let text = turn.text().to_owned();
        match text.as_str() {
            "hello" => drop(turn.say("hello")),
            "swallow" => {
                let known = turn.conversation::<old::Order>().is_ok();
                turn.state().clear();
                turn.say(format!("m: {known}"));
            }
            "panic" => {
                turn.conversation::<old::Order>().expect("the handler panics on it");
            }
            "mine" => turn.user::<old::Order>().await?.topping = text,
            "fail" => return Err("a failure of its own".into()),
            _ => turn.conversation::<old::Order>()?.topping = text,
        }
        Ok(())
    }
    Bot::new().on_message(hear).on_event("late", hear).on_error(
        async |mut turn: Turn, failure: Arc<Failure>| {
            if matches!(*failure, Failure::Error(_)) {
                // What the user hears hangs on the state too.
                let topping = &turn.conversation::<old::Order>()?.topping;
                let line = format!("sorry about the {topping}");
                turn.say(line);
            }
            Ok(())
        },
    )
}

fn new_bot() -> Bot {
    async fn hear(mut turn: Turn) -> Result<(), BotError> {
        let text = turn.text().to_owned();
        match text.as_str() {
            "what" => {
                let line = turn.conversation::<new::Order>()?.all.join(" and ");
                turn.say(line);
            }
            "later" => {
                let mut event = Activity::event("late");
                event.text = Some("fired".into());
                drop(turn.after(Duration::from_secs(60), event));
            }
            "mine" => turn.user::<new::Order>().await?.all.push(text),
            _ => turn.conversation::<new::Order>()?.all.push(text),
        }
        Ok(())
    }
    Bot::new().on_message(hear).on_event("late", hear)
}

/// The new build, with turns that take half a minute.
fn slow_bot() -> Bot {
    Bot::new().on_message(async |mut turn: Turn| {
        tokio::time::sleep(Duration::from_secs(30)).await;
        let text = turn.text().to_owned();
        let order = turn.conversation::<new::Order>()?;
        order.all.push(text);
        let line = order.all.join(" ");
        turn.say(line);
        Ok(())
    })
}

async fn stored(world: &World) -> String {
    let key = Key::new(CONVERSATION).unwrap();
    world.store.inner.load(&key).await.unwrap().unwrap().body
}

async fn order(world: &World) -> String {
    world.document().await.unwrap().bag.get_raw("Order").unwrap().as_str().to_owned()
}

const SENTENCE: &str = "Order is stored as version 3 and this build understands up to 1: finish the \
                        deployment; send it again";

#[tokio::test(start_paused = true)]
async fn an_old_instance_refuses_what_a_newer_build_wrote_and_leaves_it_alone() {
    let world = World::new();
    let (old, new) = (world.start(old_bot()), world.start(new_bot()));
    old.say("1", "olives").await.unwrap();
    assert_eq!(order(&world).await, r#"{"$version":1,"topping":"olives"}"#);
    new.say("2", "ham").await.unwrap();
    assert_eq!(order(&world).await, r#"{"$version":3,"all":["olives","ham"]}"#);
    let before = stored(&world).await;
    // The first time from its memory of version 1, which loses the race; then from the store.
    for (id, text) in
        [("3", "basil"), ("4", "swallow"), ("5", "panic"), ("6", "fail"), ("3", "basil")]
    {
        let error = old.say(id, text).await.unwrap_err();
        assert!(matches!(&error, Error::Newer(newer) if newer.stored() == 3), "{text}: {error}");
        assert!(error.is_retryable());
        assert_eq!(error.to_string(), SENTENCE);
        assert_eq!(stored(&world).await, before, "{text}");
    }
    assert_eq!(old.engine.stats().newer, 5);
    // The channel delivers it again, now to an instance of the new build.
    new.say("3", "basil").await.unwrap();
    assert_eq!(order(&world).await, r#"{"$version":3,"all":["olives","ham","basil"]}"#);
    assert!(old.say("3", "basil").await.unwrap().is_repeat);
    // What does not touch the order is done by either.
    old.say("7", "hello").await.unwrap();
    assert_eq!(order(&world).await, r#"{"$version":3,"all":["olives","ham","basil"]}"#);
    world.until_delivered().await;
    assert_eq!(world.channel.texts(), ["hello"]);
}

#[tokio::test(start_paused = true)]
async fn a_wrong_shape_is_still_a_failure_of_the_logic() {
    let world = World::new();
    let new = world.start(new_bot());
    new.say("1", "ham").await.unwrap();
    // Another bot, whose orders are numbers.
    let bot = Bot::new().on_message(async |mut turn: Turn| {
        *turn.state().named::<u32>("Order")? += 1;
        Ok(())
    });
    let error = world.start(bot).say("2", "m").await.unwrap_err();
    assert!(matches!(error, Error::Failed(_)) && !error.is_retryable(), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_version_is_written_when_the_value_changes_and_not_before() {
    let world = World::new();
    let (old, new) = (world.start(old_bot()), world.start(new_bot()));
    old.say("1", "olives").await.unwrap();
    new.say("2", "what").await.unwrap();
    world.until_delivered().await;
    assert_eq!(world.channel.texts(), ["olives"], "it was read as version 3");
    assert_eq!(order(&world).await, r#"{"$version":1,"topping":"olives"}"#);
    old.say("3", "basil").await.unwrap();
    new.say("4", "ham").await.unwrap();
    assert_eq!(order(&world).await, r#"{"$version":3,"all":["basil","ham"]}"#);
}

#[tokio::test(start_paused = true)]
async fn in_a_batch_only_those_that_meet_newer_state_are_refused() {
    let world = World::new();
    let (old, new) = (world.start(old_bot()), world.start(new_bot()));
    new.say("1", "mine").await.unwrap();
    let user = world.store.bag("test/users/u").await;
    assert_eq!(user.get_raw("Order").unwrap().as_str(), r#"{"$version":3,"all":["mine"]}"#);
    let all = ["basil", "mine", "hello"].into_iter().enumerate();
    let answers = all.map(|(id, text)| old.say(["a", "b", "c"][id], text));
    let answers = futures_util::future::join_all(answers).await;
    assert!(answers[0].is_ok() && answers[2].is_ok(), "{answers:?}");
    assert!(matches!(answers[1], Err(Error::Newer(_))), "{answers:?}");
    assert_eq!(order(&world).await, r#"{"$version":1,"topping":"basil"}"#);
    assert_eq!(world.store.bag("test/users/u").await, user);
}

#[tokio::test(start_paused = true)]
async fn a_timer_waits_for_an_instance_that_understands_the_state() {
    let world = World::new();
    let new = world.start(new_bot());
    new.say("1", "ham").await.unwrap();
    new.say("2", "later").await.unwrap();
    new.kill();
    let before = stored(&world).await;
    let old = world.start(old_bot());
    tokio::time::sleep(Duration::from_secs(600)).await;
    let stats = old.engine.stats();
    assert!(stats.newer > 1, "it tried: {stats:?}");
    assert_eq!((stats.fired, stats.commits), (0, 0));
    assert_eq!(stored(&world).await, before);
    let _new = world.start(new_bot());
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert_eq!(order(&world).await, r#"{"$version":3,"all":["ham","fired"]}"#);
    assert!(world.ledger().await.timers.is_empty() && world.ledger().await.parked.is_empty());
}

/// The build before `late` had a handler.
fn bot_without_late() -> Bot {
    Bot::new().on_message(async |_: Turn| Ok::<_, BotError>(()))
}

#[tokio::test(start_paused = true)]
async fn a_timer_that_an_old_build_has_no_handler_for_is_fired_by_a_new_one() {
    for is_late in [false, true] {
        let world = World::new();
        let new = world.start(new_bot());
        new.say("1", "later").await.unwrap();
        new.kill();
        let old = world.start(bot_without_late());
        // An old instance that wrote the document last has the alarm.
        old.say("2", "m").await.unwrap();
        let mut waited = 0;
        if is_late {
            waited = 300;
            tokio::time::sleep(Duration::from_secs(waited)).await;
            assert_eq!(world.ledger().await.timers.len(), 1, "it is put off");
        }
        let _new = world.start(new_bot());
        tokio::time::sleep(Duration::from_secs(90 + waited)).await;
        assert_eq!(order(&world).await, r#"{"$version":3,"all":["fired"]}"#, "{is_late}");
        assert!(world.ledger().await.timers.is_empty() && world.ledger().await.parked.is_empty());
        assert_eq!(old.engine.stats().fired, 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_timer_that_is_left_to_others_does_not_delay_the_next_one() {
    let world = World::new();
    let new = world.start(Bot::new().on_message(async |mut turn: Turn| {
        turn.after(Duration::from_secs(60), Activity::event("late"));
        turn.after(Duration::from_secs(62), Activity::event("tick"));
        Ok(())
    }));
    new.say("1", "later").await.unwrap();
    new.kill();
    let old = world.start(bot_without_late().on_event("tick", async |mut turn: Turn| {
        turn.say("tick");
        Ok(())
    }));
    // It has the alarm now.
    old.say("2", "m").await.unwrap();
    old.say("3", "m").await.unwrap();
    tokio::time::sleep(Duration::from_millis(62_500)).await;
    assert_eq!(world.channel.texts(), ["tick"]);
    assert_eq!(world.ledger().await.timers.len(), 1, "the other one waits for a newer build");
}

#[tokio::test(start_paused = true)]
async fn a_timer_that_no_build_has_a_handler_for_is_parked_in_the_end_and_can_be_retried() {
    let world = World::new();
    let new = world.start(new_bot());
    new.say("1", "later").await.unwrap();
    new.kill();
    let old = world.start(bot_without_late());
    tokio::time::sleep(Duration::from_secs(1800)).await;
    let ledger = world.ledger().await;
    assert!(ledger.timers.is_empty(), "{:?}", ledger.timers);
    assert_eq!(ledger.parked.len(), 1);
    assert_eq!(ledger.parked[0].reason, "timer: the bot has no handler for its event");
    let commits = old.engine.stats().commits;
    assert_eq!(commits, u64::from(world.limits.timer_attempts_max), "a write for each try");
    old.kill();
    let new = world.start(new_bot());
    let key = Key::new(CONVERSATION).unwrap();
    assert_eq!(new.engine.retry_parked(&key, None).await.unwrap(), 1);
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(order(&world).await, r#"{"$version":3,"all":["fired"]}"#);
    assert!(world.ledger().await.parked.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_long_turn_of_a_timer_that_an_old_build_has_no_handler_for_is_left_to_a_new_one() {
    for comes_back in [true, false] {
        let world = World::new();
        let slow = || {
            Bot::new()
                .on_message(async |mut turn: Turn| {
                    turn.after(Duration::from_secs(5), Activity::event("late"));
                    Ok(())
                })
                .on_event("late", async |mut turn: Turn| {
                    tokio::time::sleep(Duration::from_secs(20)).await;
                    turn.say("fired");
                    Ok(())
                })
        };
        let new = world.start(slow());
        new.say("1", "later").await.unwrap();
        tokio::time::sleep(Duration::from_secs(15)).await;
        assert_eq!(world.ledger().await.inbox.len(), 1, "it is a long turn");
        new.kill();
        let old = world.start(bot_without_late());
        tokio::time::sleep(Duration::from_secs(90)).await;
        let ledger = world.ledger().await;
        assert_eq!((ledger.inbox.len(), ledger.timers.len()), (0, 1), "it is put off");
        assert!(ledger.timers[0].tries > 0);
        assert_eq!(old.engine.stats().fired, 0);
        let _new = comes_back.then(|| world.start(slow()));
        tokio::time::sleep(Duration::from_secs(1800)).await;
        let ledger = world.ledger().await;
        assert_eq!((ledger.inbox.len(), ledger.timers.len()), (0, 0));
        let said = if comes_back { vec!["fired"] } else { vec![] };
        assert_eq!(world.channel.texts(), said);
        assert_eq!(ledger.parked.len(), usize::from(!comes_back));
    }
}

#[tokio::test]
async fn a_pure_run_is_refused_too() {
    let key = Key::new(CONVERSATION).unwrap();
    let bag = sayso_turn::Bag::from_json(r#"{"Order":{"$version":2,"toppings":["ham"]}}"#).unwrap();
    let documents = [(key, bag)].into();
    let ran = sayso_turn::run(&old_bot(), crate::world::message("1", "m"), documents).await;
    assert!(matches!(ran, Err(Error::Newer(_))));
    // Handed on by the logic from wherever it read it.
    let bot = Bot::new().on(Kind::Message, async |_turn: Turn| {
        let raw = sayso_turn::activity::Raw::from_text(r#"{"$version":2}"#.to_owned())?;
        let _order: old::Order = sayso_turn::versioned::read(&raw)?;
        Ok(())
    });
    let ran = sayso_turn::run(&bot, crate::world::message("1", "m"), Default::default()).await;
    assert!(matches!(ran, Err(Error::Newer(_))));
}

#[tokio::test(start_paused = true)]
async fn a_long_turn_that_an_old_instance_takes_over_goes_back_to_a_new_one() {
    let world = World::new();
    let old = world.start(old_bot());
    let first = world.start(slow_bot());
    for (id, text) in [("1", "ham"), ("2", "corn")] {
        assert!(first.say(id, text).await.unwrap().is_pending);
        if id == "1" {
            // Until something of the newer build is stored.
            tokio::time::sleep(Duration::from_secs(40)).await;
        }
    }
    first.kill();
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert!(old.engine.stats().newer > 0, "the old one tried");
    let second = world.start(slow_bot());
    for _ in 0..300 {
        tokio::time::sleep(Duration::from_secs(1)).await;
        if world.ledger().await.inbox.is_empty() {
            break;
        }
    }
    world.until_delivered().await;
    assert_eq!(world.channel.texts(), ["ham", "ham corn"]);
    assert_eq!(second.engine.stats().turns, 1);
    assert!(world.ledger().await.parked.is_empty(), "nobody apologised or gave up");
}

#[tokio::test(start_paused = true)]
async fn a_turn_goes_back_to_a_new_instance_only_when_the_reply_in_hand_has_arrived() {
    let world = World::new();
    let first = world.start(slow_bot());
    for (id, text) in [("1", "ham"), ("2", "hello"), ("3", "ham")] {
        assert!(first.say(id, text).await.unwrap().is_pending);
    }
    tokio::time::sleep(Duration::from_secs(40)).await;
    first.kill();
    // It says hello to a slow channel, and finds that the next one is not for it.
    world.channel.script([Step::Slow(Duration::from_secs(3))]);
    let old = world.start(old_bot());
    for _ in 0..600 {
        if old.engine.stats().newer > 0 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(old.engine.stats().newer > 0, "the old one tried");
    assert_eq!(world.channel.texts(), ["ham"], "and is still saying hello");
    let second = world.start(slow_bot());
    tokio::time::sleep(Duration::from_secs(60)).await;
    world.until_delivered().await;
    assert_eq!(order(&world).await, r#"{"$version":3,"all":["ham","ham"]}"#);
    assert_eq!(world.channel.texts(), ["ham", "hello", "ham ham"]);
    assert_eq!(second.engine.stats().repeats, 0);
}
