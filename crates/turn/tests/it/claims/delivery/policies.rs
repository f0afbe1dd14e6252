//! `repeat`, `once`, `expires`: for a bot and for one reply.

use sayso_turn::{
    Bot, BotError, DeliveryPolicy, MessageId, Turn, activity::Activity, channel::Delivery,
};
use tokio::time::sleep;

use super::{later, millis, parked, secs, times, words};
use crate::world::{Fault, Step, World, message_in};

fn unknown() -> Delivery {
    Delivery::Unknown { reason: "reset".into() }
}

#[tokio::test(start_paused = true)]
async fn a_reply_under_once_is_never_sent_again_when_it_may_have_arrived() {
    let doubts =
        [(Step::TakeAndHang, 1), (Step::Hang, 0), (Step::TakeAnd(unknown()), 1), (Step::Panic, 0)];
    for (step, arrivals) in doubts {
        let world = World::new();
        let instance = world.start(words(DeliveryPolicy::once()));
        world.channel.script([step.clone()]);
        instance.say("1", "a b").await.unwrap();
        world.until_delivered().await;
        sleep(secs(120)).await;
        assert_eq!(times(&world, "a"), arrivals, "{step:?}");
        assert_eq!(times(&world, "b"), 1, "what stands behind it goes on");
        let parked = parked(&instance).await;
        assert_eq!(parked.len(), 1, "{step:?}");
        assert!(parked[0].is_doubtful && parked[0].reason.contains("once"), "{parked:?}");
        let stats = instance.engine.stats();
        assert_eq!((stats.withheld, stats.parked, stats.repeats), (1, 1, 0), "{step:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_reply_under_once_that_cannot_have_arrived_is_sent_until_it_has() {
    let world = World::new();
    let instances = [0, 1].map(|_| world.start(words(DeliveryPolicy::once())));
    world.channel.script([later(None), later(Some(20)), later(Some(120)), later(None)]);
    instances[0].say("1", "a").await.unwrap();
    world.until_delivered().await;
    assert_eq!(world.channel.texts(), ["a"]);
    let withheld: u64 = instances.iter().map(|instance| instance.engine.stats().withheld).sum();
    assert_eq!(withheld, 0);
}

#[tokio::test(start_paused = true)]
async fn a_reply_has_the_policy_that_was_chosen_for_it_and_not_its_neighbour_s() {
    let world = World::new();
    let instance = world.start(words(DeliveryPolicy::repeat()));
    let lost = || Step::TakeAnd(unknown());
    // Each reply loses its first answer.
    world.channel.script([lost(), later(None), lost()]);
    instance.say("1", "x-unsaid a-once b").await.unwrap();
    world.until_delivered().await;
    sleep(secs(60)).await;
    assert_eq!(
        (times(&world, "a-once"), times(&world, "b")),
        (1, 2),
        "{:?}",
        world.channel.texts()
    );

    let world = World::new();
    let instance = world.start(words(DeliveryPolicy::once()));
    world.channel.script([lost()]);
    instance.say("1", "a-repeat").await.unwrap();
    world.until_delivered().await;
    assert_eq!(times(&world, "a-repeat"), 2);
    assert_eq!(instance.engine.stats().withheld, 0);
}

/// A crash after the hand-over and before its record: whoever goes on cannot know.
#[tokio::test(start_paused = true)]
async fn a_reply_under_once_is_not_sent_again_by_an_heir_after_a_crash() {
    for is_answered in [true, false] {
        let world = World::new();
        let first = world.start(words(DeliveryPolicy::repeat()));
        if is_answered {
            // The record of it meets a store that is away.
            first.say("1", "a-once").await.unwrap();
            sleep(millis(2)).await;
        } else {
            world.channel.script([Step::TakeAndHang]);
            first.say("1", "a-once b").await.unwrap();
            sleep(secs(1)).await;
        }
        first.kill();
        assert_eq!(world.channel.texts(), ["a-once"], "handed over, and not recorded");
        let heir = world.start(words(DeliveryPolicy::repeat()));
        world.until_delivered().await;
        sleep(secs(60)).await;
        assert_eq!(times(&world, "a-once"), 1, "answered: {is_answered}");
        let stats = heir.engine.stats();
        assert_eq!((stats.withheld, stats.recovered), (1, 1));
        if !is_answered {
            assert_eq!(times(&world, "b"), 1, "under its own policy");
        }
        let parked = parked(&heir).await;
        assert!(parked.len() == 1 && parked[0].is_doubtful, "{parked:?}");
    }
}

/// An instance that shuts down says which replies may have arrived: the others are the heir's.
#[tokio::test(start_paused = true)]
async fn an_heir_sends_what_is_under_once_and_was_never_sent_before_a_shut_down() {
    let world = World::new();
    let first = world.start(words(DeliveryPolicy::once()));
    world.channel.script([Step::TakeAndHang]);
    first.say("1", "a b c").await.unwrap();
    sleep(secs(1)).await;
    first.engine.close(secs(1)).await;
    first.kill();
    let heir = world.start(words(DeliveryPolicy::once()));
    world.until_delivered().await;
    assert_eq!(world.channel.texts(), ["a", "b", "c"]);
    assert_eq!(heir.engine.stats().withheld, 1, "of the one that was in hand");
}

/// An instance that is only slow, and another that took over meanwhile: no text twice.
#[tokio::test(start_paused = true)]
async fn a_reply_under_once_is_not_sent_twice_by_an_instance_that_was_frozen() {
    let world = World::new();
    let frozen = world.start(words(DeliveryPolicy::once()));
    world.channel.script([Step::Slow(secs(2))]);
    frozen.say("1", "a b").await.unwrap();
    sleep(secs(1)).await;
    frozen.freeze();
    let other = world.start(words(DeliveryPolicy::once()));
    sleep(secs(60)).await;
    frozen.thaw();
    sleep(secs(60)).await;
    for text in ["a", "b"] {
        assert!(times(&world, text) <= 1, "{:?}", world.channel.texts());
    }
    assert_eq!(other.engine.stats().repeats + frozen.engine.stats().repeats, 0);
}

/// `new X` says X and keeps its name, `update X` changes it, `delete` deletes it.
fn board() -> Bot {
    Bot::new().delivery(DeliveryPolicy::once()).on_message(async |mut turn: Turn| {
        let text = turn.text().to_owned();
        let (verb, rest) = text.split_once(' ').unwrap_or((text.as_str(), ""));
        let kept = turn.state().named::<Option<MessageId>>("message")?.clone();
        match (verb, kept) {
            ("new", _) => {
                let message = turn.say(rest);
                *turn.state().named("message")? = Some(message);
            }
            ("update", Some(message)) => turn.update(&message, Activity::message(rest)),
            ("delete", Some(message)) => turn.delete(&message),
            _ => {}
        }
        Ok::<_, BotError>(())
    })
}

#[tokio::test(start_paused = true)]
async fn a_change_of_a_message_is_under_its_policy_too() {
    let world = World::new();
    let instance = world.start(board());
    let named = Step::TakeAnd(Delivery::Delivered { id: Some("c1".into()) });
    world.channel.script([named, Step::TakeAnd(unknown()), Step::TakeAndHang]);
    for (id, text) in ["new a", "update b", "delete", "update c"].into_iter().enumerate() {
        instance.say(&id.to_string(), text).await.unwrap();
        world.until_delivered().await;
    }
    let changes = world.channel.changes().into_iter();
    let kinds: Vec<_> = changes.map(|(kind, _, text)| format!("{kind} {text}")).collect();
    let expected = ["message a", "messageUpdate b", "messageDelete ", "messageUpdate c"];
    assert_eq!(kinds, expected);
    assert_eq!(instance.engine.stats().withheld, 2);
}

#[tokio::test(start_paused = true)]
async fn what_expired_during_an_outage_of_fifteen_hours_is_parked_and_not_sent() {
    let hour = secs(3600);
    for down in [later(Some(600)), later(None), Step::Answer(unknown()), Step::Hang] {
        let world = World::new();
        let bot = || words(DeliveryPolicy::repeat().expires(hour));
        let instances = [world.start(bot()), world.start(bot())];
        *world.channel.always.lock().unwrap() = Some(down.clone());
        instances[0].say("1", "typing").await.unwrap();
        sleep(15 * hour).await;
        instances[1].say("2", "fresh").await.unwrap();
        *world.channel.always.lock().unwrap() = None;
        sleep(hour / 2).await;
        assert_eq!(world.channel.texts(), ["fresh"], "{down:?}");
        let parked = parked(&instances[0]).await;
        assert_eq!(parked.len(), 1, "{down:?}");
        assert!(parked[0].reason.contains("expired"), "{down:?}: {}", parked[0].reason);
        let outdated: u64 = instances.iter().map(|i| i.engine.stats().outdated).sum();
        assert_eq!(outdated, 1, "{down:?}");
    }
}

/// A channel that says when to come again is down, not the reply at fault: however long that takes.
#[tokio::test(start_paused = true)]
async fn what_does_not_expire_is_sent_after_an_outage_of_fifteen_hours() {
    let world = World::new();
    let instances = [0, 1].map(|_| world.start(words(DeliveryPolicy::repeat())));
    *world.channel.always.lock().unwrap() = Some(later(Some(600)));
    instances[0].say("1", "a b").await.unwrap();
    sleep(secs(15 * 3600)).await;
    *world.channel.always.lock().unwrap() = None;
    world.until_delivered().await;
    assert_eq!(world.channel.texts(), ["a", "b"]);
    assert!(parked(&instances[0]).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_age_is_for_the_reply_that_it_was_chosen_for() {
    let world = World::new();
    let instance = world.start(words(DeliveryPolicy::repeat()));
    *world.channel.always.lock().unwrap() = Some(later(Some(100)));
    instance.say("1", "a b-minute c").await.unwrap();
    sleep(secs(90)).await;
    *world.channel.always.lock().unwrap() = None;
    world.until_delivered().await;
    assert_eq!(world.channel.texts(), ["a", "c"]);
    let stats = instance.engine.stats();
    assert_eq!((stats.outdated, stats.parked, stats.withheld), (1, 1, 0));
}

/// The age counts over the death of the instance that decided the reply.
#[tokio::test(start_paused = true)]
async fn an_heir_parks_what_has_expired() {
    let world = World::new();
    let first = world.start(words(DeliveryPolicy::repeat()));
    world.channel.script([Step::Hang]);
    first.say("1", "a b-minute").await.unwrap();
    sleep(secs(1)).await;
    first.kill();
    sleep(secs(120)).await;
    let heir = world.start(words(DeliveryPolicy::repeat()));
    world.until_delivered().await;
    assert_eq!(world.channel.texts(), ["a"]);
    assert_eq!(heir.engine.stats().outdated, 1);
}

/// The policy also applies to replies of the error handler, of a timer's turn and of a long turn.
#[tokio::test(start_paused = true)]
async fn every_sort_of_turn_speaks_under_the_policy() {
    let bot = || {
        Bot::new()
            .delivery(DeliveryPolicy::once())
            .on_message(async |mut turn: Turn| {
                match turn.text() {
                    "fail" => return Err("no".into()),
                    "timer" => drop(turn.after(secs(1), Activity::event("tick"))),
                    "long" => {
                        sleep(secs(20)).await;
                        turn.say("at last");
                    }
                    _ => {}
                }
                Ok::<_, BotError>(())
            })
            .on_event("tick", async |mut turn: Turn| {
                turn.say("tick");
                Ok::<_, BotError>(())
            })
            .on_error(async |mut turn: Turn, _| {
                turn.say("sorry");
                Ok::<_, BotError>(())
            })
    };
    let world = World::new();
    let instance = world.start(bot());
    for (n, text) in ["fail", "timer", "long"].into_iter().enumerate() {
        world.channel.script([Step::TakeAnd(unknown())]);
        let said = message_in(text, &n.to_string(), text);
        instance.engine.receive(said).await.unwrap();
        sleep(secs(60)).await;
    }
    assert_eq!(world.channel.texts(), ["sorry", "tick", "at last"]);
    assert_eq!(instance.engine.stats().withheld, 3);
}

/// A store that loses the answer of a record does not make a reply doubtful, nor lets it go twice.
#[tokio::test(start_paused = true)]
async fn a_withheld_reply_is_counted_once_though_the_store_stumbles() {
    let world = World::new();
    let instance = world.start(words(DeliveryPolicy::once()));
    world.channel.script([Step::TakeAnd(unknown())]);
    instance.say("1", "a").await.unwrap();
    world.store.fail_saves([Fault::LostAnswer, Fault::LostRequest, Fault::Throttled(None)]);
    world.until_delivered().await;
    sleep(secs(60)).await;
    assert_eq!(world.channel.texts(), ["a"]);
    assert_eq!(parked(&instance).await.len(), 1);
    assert_eq!(instance.engine.stats().withheld, 1);
}
