//! P1 to P8, by name.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use futures_util::future::join_all;
use sayso_turn::{Error, activity::ConversationAccount, channel::Delivery, document::RESERVED};

use crate::world::{Fault, Step, World, asking, log_bot, message};

/// P1, from the very first message: every turn that was acknowledged is in the log, once.
#[tokio::test(start_paused = true)]
async fn p1_two_instances_lose_no_update_of_a_new_conversation() {
    let world = World::new();
    let instances = [world.start(log_bot()), world.start(log_bot())];
    let turns = (0..64).map(|n| {
        let engine = instances[n % 2].engine.clone();
        async move { engine.receive(message(&n.to_string(), &format!("m{n}"))).await }
    });
    let answers = join_all(turns).await;
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    let log: BTreeSet<String> = world.log().await.into_iter().collect();
    assert_eq!(log.len(), 64);
    assert_eq!(world.log().await.len(), 64);
    assert_eq!(world.ledger().await.turn, 64);
    let conflicts = instances.iter().map(|i| i.engine.stats().conflicts).sum::<u64>();
    assert!(conflicts > 0, "the instances never met: nothing was shown");
}

/// P2: at the moment a reply arrives, the state it speaks of is in the store (see `TestChannel`).
#[tokio::test(start_paused = true)]
async fn p2_a_reply_arrives_only_after_its_state_is_stored() {
    let world = World::new();
    let instance = world.start(log_bot());
    world.store.fail_saves([Fault::Unavailable, Fault::LostRequest, Fault::Conflict]);
    instance.say("1", "m1").await.unwrap();
    world.until_delivered().await;
    assert_eq!(world.channel.texts(), ["m1"]);
}

/// P2: a turn that could not be saved says nothing.
#[tokio::test(start_paused = true)]
async fn p2_a_turn_that_is_not_saved_says_nothing() {
    let world = World::new();
    let instance = world.start(log_bot());
    *world.store.always.lock().unwrap() = Some(Fault::Unavailable);
    let error = instance.say("1", "m1").await.unwrap_err();
    assert!(error.is_retryable(), "{error}");
    tokio::time::sleep(Duration::from_secs(100)).await;
    assert!(world.channel.texts().is_empty());
    assert!(world.document().await.is_none());
}

/// P3: the instance dies while it hands the first reply over; another delivers everything, in
/// order.
#[tokio::test(start_paused = true)]
async fn p3_another_instance_delivers_what_a_dead_one_left() {
    let world = World::new();
    world.channel.script([Step::Hang]);
    let first = world.start(log_bot());
    first.say("1", "m1").await.unwrap();
    first.say("2", "m2").await.unwrap();
    world.channel.holding.notified().await;
    first.kill();
    let second = world.start(log_bot());
    world.until_delivered().await;
    assert_eq!(world.channel.texts(), ["m1", "m1 m2"]);
    assert_eq!(second.engine.stats().recovered, 1);
}

/// P3: also when the survivor is busy with the same conversation all the time, so that the document
/// never rests: it watches the claim itself.
#[tokio::test(start_paused = true)]
async fn p3_a_dead_claim_is_noticed_in_a_busy_conversation() {
    let world = World::new();
    world.channel.script([Step::Hang]);
    let first = world.start(log_bot());
    first.say("0", "m0").await.unwrap();
    world.channel.holding.notified().await;
    first.kill();
    let second = world.start(log_bot());
    for n in 1..40 {
        second.say(&n.to_string(), &format!("m{n}")).await.unwrap();
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    world.until_delivered().await;
    assert_eq!(world.channel.texts().len(), 40);
    assert_eq!(second.engine.stats().recovered, 1);
}

/// P3: also when the dead one had many more conversations than a look takes.
#[tokio::test(start_paused = true)]
async fn p3_what_many_conversations_left_behind_is_delivered_within_two_claims() {
    let count = 300;
    let mut world = World::new();
    world.limits.sweep_max = 10;
    world.channel.script(std::iter::repeat_with(|| Step::Hang).take(count));
    let first = world.start(log_bot());
    for number in 0..count {
        let mut activity = message("1", &format!("m{number}"));
        activity.conversation = Some(ConversationAccount::new(format!("c{number}")));
        first.engine.receive(activity).await.unwrap();
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(world.channel.texts().len(), 0);
    first.kill();
    let _second = world.start(log_bot());
    tokio::time::sleep(2 * world.limits.claim).await;
    assert_eq!(world.channel.texts().len(), count);
}

/// P4: delivered again, at once and later, to either instance: one effect, one reply, the same
/// answer.
#[tokio::test(start_paused = true)]
async fn p4_a_redelivered_activity_changes_the_state_once_and_answers_once() {
    let world = World::new();
    let instances = [world.start(log_bot()), world.start(log_bot())];
    let again = |n: usize| instances[n % 2].engine.receive(message("1", "m1"));
    let answers = join_all((0..6).map(again)).await;
    tokio::time::sleep(Duration::from_secs(60)).await;
    let later = join_all((0..6).map(again)).await;
    assert!(answers.iter().chain(&later).all(Result::is_ok));
    assert!(later.iter().all(|answer| answer.as_ref().unwrap().is_repeat));
    world.until_delivered().await;
    assert_eq!(world.log().await, ["m1"]);
    assert_eq!(world.channel.texts(), ["m1"]);
}

/// P4: a sender that waits for the replies gets the same ones again.
#[tokio::test(start_paused = true)]
async fn p4_expected_replies_are_the_same_on_redelivery() {
    let world = World::new();
    let first = world.start(log_bot()).engine.receive(asking("1", "m1")).await.unwrap();
    let again = world.start(log_bot()).engine.receive(asking("1", "m1")).await.unwrap();
    assert_eq!(first.replies, again.replies);
    assert_eq!(first.replies.len(), 1);
    assert!(again.is_repeat);
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert!(world.channel.texts().is_empty(), "given in the answer, not sent as well");
}

/// P5: without a crash every reply is handed over once, and nothing counts as a repeat.
#[tokio::test(start_paused = true)]
async fn p5_a_reply_is_handed_over_once() {
    let world = World::new();
    let instances = [world.start(log_bot()), world.start(log_bot())];
    for n in 0..20_usize {
        instances[n % 2].say(&n.to_string(), &format!("m{n}")).await.unwrap();
        tokio::time::sleep(Duration::from_millis(n as u64 * 70)).await;
    }
    world.until_delivered().await;
    let ids = world.channel.ids();
    assert_eq!(ids.len(), 20);
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), 20);
    assert!(instances.iter().all(|instance| instance.engine.stats().repeats == 0));
}

/// P5: a crash between hand-over and record repeats the reply under the same id, and counts it.
#[tokio::test(start_paused = true)]
async fn p5_after_a_crash_in_the_gap_the_repeat_has_the_same_id_and_is_counted() {
    let world = World::new();
    world.channel.script([Step::TakeAndHang]);
    let first = world.start(log_bot());
    first.say("1", "m1").await.unwrap();
    world.channel.holding.notified().await;
    first.kill();
    let second = world.start(log_bot());
    world.until_delivered().await;
    let ids = world.channel.ids();
    assert_eq!(ids.len(), 2);
    assert_eq!(ids[0], ids[1]);
    assert_eq!(second.engine.stats().repeats, 1);
}

/// P6: replies arrive in the order in which their turns committed, whoever committed them and
/// whatever the channel made of earlier tries.
#[tokio::test(start_paused = true)]
async fn p6_replies_arrive_in_commit_order() {
    let world = World::new();
    let later = |after| Delivery::Later { after, reason: "busy".into() };
    world.channel.script([
        Step::Answer(later(None)),
        Step::Answer(later(Some(Duration::from_secs(3)))),
        Step::Panic,
        Step::Answer(Delivery::Unknown { reason: "lost".into() }),
    ]);
    let instances = [world.start(log_bot()), world.start(log_bot())];
    let turns = (0..30).map(|n: usize| {
        let engine = instances[n % 2].engine.clone();
        async move {
            tokio::time::sleep(Duration::from_millis(n as u64 * 40)).await;
            engine.receive(message(&n.to_string(), &format!("m{n}"))).await.unwrap();
        }
    });
    join_all(turns).await;
    world.until_delivered().await;
    let log = world.log().await;
    let expected: Vec<String> = (1..=30).map(|count| log[..count].join(" ")).collect();
    assert_eq!(world.channel.texts(), expected);
}

/// P7 on stores with transactions: a turn over several documents commits all of them or none.
#[tokio::test(start_paused = true)]
async fn p7_user_and_conversation_commit_together() {
    let world = World::new();
    let instances = [world.start(both_bot()), world.start(both_bot())];
    let turns = (0..40).map(|n: usize| {
        let engine = instances[n % 2].engine.clone();
        let mut activity = message(&n.to_string(), "m");
        // Two conversations of one user race for the user's document.
        activity.conversation = Some(ConversationAccount::new(format!("c{}", n % 3)));
        async move { engine.receive(activity).await }
    });
    let answers = join_all(turns).await;
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    let count = async |key: &str| world.store.bag(key).await.get::<u64>("count").unwrap();
    let mut sum = 0;
    for n in 0..3 {
        sum += count(&format!("test/conversations/c{n}")).await.unwrap();
    }
    assert_eq!(sum, 40);
    assert_eq!(count("test/users/u").await, Some(40));
}

fn both_bot() -> sayso_turn::Bot {
    sayso_turn::Bot::new().on_message(async |mut turn: sayso_turn::Turn| {
        *turn.state().named::<u64>("count")? += 1;
        *turn.user_state().await?.named::<u64>("count")? += 1;
        Ok(())
    })
}

/// P8: whatever the store does for ever, the sender hears a clear, retryable error within the
/// deadline, and nothing is stored or said.
#[tokio::test(start_paused = true)]
async fn p8_trouble_ends_in_a_clear_error_within_the_deadline() {
    let faults = [
        Fault::Conflict,
        Fault::Throttled(None),
        Fault::Throttled(Some(Duration::from_secs(600))),
        Fault::Unavailable,
        Fault::LostRequest,
        Fault::Hang,
    ];
    for fault in faults {
        let world = World::new();
        let instance = world.start(log_bot());
        *world.store.always.lock().unwrap() = Some(fault.clone());
        let began = tokio::time::Instant::now();
        let error = instance.say("1", "m1").await.unwrap_err();
        assert!(matches!(error, Error::Busy { .. }), "{fault:?}: {error}");
        // The number that the documentation promises, not whatever the limit says.
        let attempts = instance.engine.stats().attempts;
        assert!(attempts <= 8, "{fault:?}: {attempts} attempts");
        assert!(began.elapsed() <= world.limits.deadline + Duration::from_secs(1), "{fault:?}");
        *world.store.always.lock().unwrap() = None;
        tokio::time::sleep(Duration::from_secs(60)).await;
        assert!(world.document().await.is_none(), "{fault:?}");
        assert!(world.channel.texts().is_empty(), "{fault:?}");
        instance.say("1", "m1").await.unwrap();
        assert_eq!(world.log().await, ["m1"], "{fault:?}: works again");
    }
}

/// A save is timed by the store where it promises that in time, else by the runtime.
#[tokio::test(start_paused = true)]
async fn p8_a_store_that_times_its_saves_is_trusted_as_far_as_its_word_goes() {
    let deadline = World::new().limits.deadline;
    for (promise, is_trusted) in
        [(Some(deadline / 2), true), (Some(deadline * 2), false), (None, false)]
    {
        let world = World::new();
        let instance = world.start(log_bot());
        *world.store.save_time_max.lock().unwrap() = promise;
        // No store keeps such a word: that is how it shows who watches the time.
        *world.store.always.lock().unwrap() = Some(Fault::Slow(deadline * 3));
        let said = instance.say("1", "m1").await;
        assert_eq!(said.is_ok(), is_trusted, "{promise:?}: {said:?}");
    }
}

/// The state of the bot and what the runtime keeps are apart.
#[tokio::test(start_paused = true)]
async fn what_the_runtime_keeps_is_under_one_property() {
    let world = World::new();
    world.start(log_bot()).say("1", "m1").await.unwrap();
    let key = sayso_turn::Key::new(crate::world::CONVERSATION).unwrap();
    let inner = Arc::clone(&world.store.inner);
    let body = sayso_turn::store::Store::load(&*inner, &key).await.unwrap().unwrap().body;
    let bag = sayso_turn::Bag::from_json(&body).unwrap();
    assert_eq!(bag.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["log", RESERVED]);
}
