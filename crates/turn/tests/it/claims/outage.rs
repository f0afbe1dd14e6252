//! A channel that is down costs little, and nothing is lost or said twice for it.

use std::sync::Arc;

use sayso_turn::{Bot, Turn, activity::Activity, channel::Delivery};
use tokio::time::sleep;

use super::{Outside, millis, secs};
use crate::world::{Call, MachineClock, Step, World, append, log_bot, message_in};

const CONVERSATIONS: usize = 100;
const WRITES_MAX: usize = 3;

fn later(seconds: u64) -> Step {
    let after = Some(secs(seconds));
    Step::Answer(Delivery::Later { after, reason: "down for maintenance".into() })
}

fn writes(world: &World, conversation: usize) -> usize {
    let calls = world.store.calls_of(&format!("test/conversations/c{conversation}"));
    calls.iter().filter(|(_, call)| *call == Call::Save).count()
}

#[tokio::test(start_paused = true)]
async fn an_outage_of_a_channel_costs_three_writes_a_conversation_and_no_memory() {
    let world = World::new();
    let instances = [world.start(log_bot()), world.start(log_bot())];
    *world.channel.always.lock().unwrap() = Some(later(600));
    for n in 0..CONVERSATIONS {
        let said = message_in(&format!("c{n}"), "1", &format!("m{n}"));
        instances[n % 2].engine.receive(said).await.unwrap();
    }
    sleep(secs(120)).await;
    let busy = instances.iter().map(|instance| instance.engine.busy()).sum::<usize>();
    assert_eq!(busy, 0, "nothing is kept in memory for them");
    sleep(secs(450)).await;
    let most = (0..CONVERSATIONS).map(|n| writes(&world, n)).max().unwrap();
    assert!(most <= WRITES_MAX, "{most} writes for one conversation");
    let tried = world.channel.took.lock().unwrap().len();
    assert_eq!(tried, CONVERSATIONS, "the channel is not bothered before its time");

    *world.channel.always.lock().unwrap() = None;
    sleep(secs(120)).await;
    let mut texts = world.channel.texts();
    texts.sort();
    let mut expected: Vec<_> = (0..CONVERSATIONS).map(|n| format!("m{n}")).collect();
    expected.sort();
    assert_eq!(texts, expected, "each once");
    let repeats: u64 = instances.iter().map(|instance| instance.engine.stats().repeats).sum();
    assert_eq!(repeats, 0, "nothing of it was ever sent before");
}

/// An outage of an hour: the price is that of every try, not of the time.
#[tokio::test(start_paused = true)]
async fn a_long_outage_costs_three_writes_a_try() {
    let world = World::new();
    let instance = world.start(log_bot());
    *world.channel.always.lock().unwrap() = Some(later(600));
    instance.engine.receive(message_in("c0", "1", "m1")).await.unwrap();
    sleep(secs(3600)).await;
    let tries = world.channel.took.lock().unwrap().len();
    assert!((5..=8).contains(&tries), "{tries} tries");
    let writes = writes(&world, 0);
    assert!(writes <= WRITES_MAX * tries, "{writes} writes for {tries} tries");
    *world.channel.always.lock().unwrap() = None;
    sleep(secs(660)).await;
    assert_eq!(world.channel.texts(), ["m1"]);
}

/// Replies added during an outage do not bring the next attempt forward, and keep their order.
#[tokio::test(start_paused = true)]
async fn turns_go_on_during_an_outage_and_their_replies_keep_their_order() {
    let world = World::new();
    let instances = [world.start(log_bot()), world.start(log_bot())];
    *world.channel.always.lock().unwrap() = Some(later(600));
    for n in 0..4 {
        let said = message_in("c0", &n.to_string(), &format!("m{n}"));
        instances[n % 2].engine.receive(said).await.unwrap();
        sleep(secs(100)).await;
    }
    let tried = world.channel.took.lock().unwrap().len();
    assert!(tried <= 4, "one try a turn at most: {tried}");
    *world.channel.always.lock().unwrap() = None;
    sleep(secs(700)).await;
    assert_eq!(world.channel.texts(), ["m0", "m0 m1", "m0 m1 m2", "m0 m1 m2 m3"]);
}

/// An instance that dies during the outage leaves nothing that only it could do.
#[tokio::test(start_paused = true)]
async fn any_instance_goes_on_after_an_outage() {
    let world = World::new();
    let first = world.start(log_bot());
    world.channel.script([later(600)]);
    first.engine.receive(message_in("c0", "1", "m1")).await.unwrap();
    sleep(secs(60)).await;
    first.kill();
    let second = world.start(log_bot());
    sleep(secs(500)).await;
    assert!(world.channel.texts().is_empty(), "the channel asked for ten minutes");
    sleep(secs(120) + millis(1)).await;
    assert_eq!(world.channel.texts(), ["m1"]);
    assert_eq!(second.engine.stats().repeats, 0, "it was never sent before");
}

/// The commit that lets an outbox rest may take a while, because turns run before it. What is
/// handed over meanwhile is known to whoever goes on.
#[tokio::test(start_paused = true)]
async fn nothing_is_handed_over_unknown_to_an_heir_while_the_claim_is_given_up_for_a_rest() {
    let world = World::new();
    let slow = |turn: Turn| async move {
        if turn.text() != "m0" {
            sleep(millis(7600)).await;
        }
        append(turn).await
    };
    let first = world.start(Bot::new().on_message(slow));
    let later = Delivery::Later { after: Some(millis(14_500)), reason: "busy".into() };
    world.channel.script([Step::Answer(later), Step::TakeAndHang]);
    first.engine.receive(message_in("c0", "0", "m0")).await.unwrap();
    let say = |id: &'static str, wait: u64| {
        let engine = first.engine.clone();
        tokio::spawn(async move {
            sleep(millis(wait)).await;
            engine.receive(message_in("c0", id, id)).await
        })
    };
    // The rest is asked for after 7 s, while the first one runs, and is taken up together with the
    // second.
    let said = [say("m1", 300), say("m2", 7500)];
    for said in said {
        said.await.unwrap().unwrap();
    }
    first.kill();
    let heir = world.start(log_bot());
    sleep(secs(60)).await;
    let times = world.channel.texts().iter().filter(|text| *text == "m0").count() as u64;
    assert_eq!(heir.engine.stats().repeats, times - 1, "what comes again is marked");
}

/// The instance that let the outbox rest had a wrong clock and is gone: neither that nor a timer
/// hides the rest.
#[tokio::test(start_paused = true)]
async fn a_rest_that_a_wrong_clock_began_ends_in_time_though_a_timer_is_set() {
    let world = World::new();
    let bot = || {
        Bot::new().on_message(async |mut turn: Turn| {
            if turn.text() == "remind" {
                turn.after(secs(10_300), Activity::event("tick"));
            }
            append(turn).await
        })
    };
    let right = world.start(bot());
    right.engine.receive(message_in("c0", "1", "remind")).await.unwrap();
    sleep(secs(1)).await;
    right.kill();
    let clock = MachineClock::default();
    clock.set_ahead(secs(10_000));
    let wrong = world.start_on(Arc::new(clock), bot());
    world.channel.script([later(600)]);
    wrong.engine.receive(message_in("c0", "2", "m2")).await.unwrap();
    sleep(secs(60)).await;
    wrong.kill();
    let _heir = world.start(bot());
    sleep(secs(700)).await;
    assert_eq!(world.channel.texts(), ["remind", "remind m2"]);
}

/// Commits during a rest do not put its end off, whatever happened to the clock that dated it.
#[tokio::test(start_paused = true)]
async fn a_rest_ends_in_time_though_its_clock_was_set_back_and_turns_go_on() {
    let world = World::new();
    let clock = MachineClock::default();
    clock.set_ahead(secs(100));
    let instance = world.start_on(Arc::new(clock.clone()), log_bot());
    world.channel.script([later(60)]);
    instance.engine.receive(message_in("c0", "1", "m1")).await.unwrap();
    sleep(secs(20)).await;
    clock.set_ahead(secs(0));
    for n in 2..5 {
        instance.engine.receive(message_in("c0", &n.to_string(), "more")).await.unwrap();
        sleep(secs(10)).await;
    }
    sleep(secs(16)).await;
    assert_eq!(world.channel.texts().len(), 4, "66 seconds after it was asked to wait for 60");
}

/// An heir fires a timer at its time though the outbox of its conversation rests.
#[tokio::test(start_paused = true)]
async fn a_timer_of_a_dead_instance_does_not_wait_for_the_end_of_an_outage() {
    let world = World::new();
    let fired = Outside::default();
    let bot = || {
        let fired = fired.clone();
        Bot::new()
            .on_message(async |mut turn: Turn| {
                turn.after(secs(300), Activity::event("tick"));
                append(turn).await
            })
            .on_event("tick", move |turn: Turn| {
                let fired = fired.clone();
                async move { fired.pay(&turn).await }
            })
    };
    let first = world.start(bot());
    *world.channel.always.lock().unwrap() = Some(later(3000));
    first.engine.receive(message_in("c0", "1", "m1")).await.unwrap();
    sleep(secs(60)).await;
    first.kill();
    let _heir = world.start(bot());
    sleep(secs(260)).await;
    assert_eq!(fired.calls().len(), 1, "within some seconds of its time");
}
