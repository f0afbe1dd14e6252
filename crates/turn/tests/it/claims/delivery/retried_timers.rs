//! Parked timers that an operator retries: what their runs say is never mixed up.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use sayso_turn::{
    Bot, BotError, MessageId, ParkedKind, Turn, activity::Activity, channel::Delivery, id::TurnId,
};
use tokio::time::sleep;

use super::{key, later, parked, refused, secs};
use crate::world::{Instance, Step, World};

/// Failures of a timer's handler that are still to come, and the time that a run of it takes.
#[derive(Clone, Debug, Default)]
struct Oven {
    failures: Arc<AtomicU32>,
    seconds: u64,
}

impl Oven {
    fn failing(failures: u32) -> Self {
        Self { failures: Arc::new(failures.into()), seconds: 0 }
    }

    fn cools(&self) -> bool {
        let less = |failures: u32| failures.checked_sub(1);
        self.failures.fetch_update(Ordering::SeqCst, Ordering::SeqCst, less).is_ok()
    }
}

/// Sets a timer, whose handler says `reminder`, or `sorry` when it fails at its last try.
fn bot(oven: &Oven) -> Bot {
    let oven = oven.clone();
    Bot::new()
        .on_message(async |mut turn: Turn| {
            if let Some(message) = turn.state().named::<Option<MessageId>>("reminder")?.clone() {
                turn.update(&message, Activity::message("changed"));
                return Ok(());
            }
            turn.after(secs(1), Activity::event("late"));
            Ok(())
        })
        .on_event("late", move |mut turn: Turn| {
            let oven = oven.clone();
            async move {
                sleep(secs(oven.seconds)).await;
                if oven.cools() {
                    return Err::<(), BotError>("the oven is cold".into());
                }
                let message = turn.say("reminder");
                *turn.state().named("reminder")? = Some(message);
                Ok(())
            }
        })
        .on_error(async |mut turn: Turn, _| {
            turn.say("sorry");
            Ok(())
        })
}

/// A world in which a timer has one try.
fn world() -> World {
    let mut world = World::new();
    world.limits.timer_attempts_max = 1;
    world
}

fn set_channel(world: &World, always: Option<Step>) {
    *world.channel.always.lock().unwrap() = always;
}

/// Retries the only dead letter, which is a timer.
async fn retry(instance: &Instance) {
    let left = parked(instance).await;
    assert_eq!(left.iter().map(|parked| parked.kind).collect::<Vec<_>>(), [ParkedKind::Timer]);
    let id = Some(&left[0].id);
    assert_eq!(instance.engine.retry_parked(&key(), id).await.unwrap(), 1);
}

/// The id of the timer's turn: the first timer of the turn of activity `1`.
fn turn_of_timer() -> TurnId {
    TurnId::new(&key(), &format!("{}.t0", TurnId::new(&key(), "1")))
}

async fn ids_in_outbox(world: &World) -> Vec<String> {
    world.ledger().await.outbox.iter().map(|entry| entry.id.to_string()).collect()
}

#[tokio::test(start_paused = true)]
async fn a_retried_timer_and_the_apology_that_still_waits_both_arrive() {
    for seconds in [0, 20] {
        let world = world();
        let instance = world.start(bot(&Oven { seconds, ..Oven::failing(1) }));
        set_channel(&world, Some(later(Some(1))));
        instance.say("1", "go").await.unwrap();
        sleep(secs(60)).await;
        let first = ids_in_outbox(&world).await;
        assert_eq!(first, [format!("{}.0", turn_of_timer())], "as ever, if never retried");
        retry(&instance).await;
        sleep(secs(60)).await;
        assert_eq!(ids_in_outbox(&world).await.len(), 2);
        set_channel(&world, None);
        world.until_delivered().await;
        assert_eq!(world.channel.texts(), ["sorry", "reminder"], "{seconds}");
        let ids = world.channel.ids();
        assert_ne!(ids[0], ids[1], "a channel takes the same id for the same reply");
        assert!(parked(&instance).await.is_empty());
        assert!(world.ledger().await.timers.is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn each_retry_of_a_timer_speaks_under_ids_of_its_own() {
    for seconds in [0, 20] {
        let world = world();
        let instance = world.start(bot(&Oven { seconds, ..Oven::failing(4) }));
        instance.say("1", "go").await.unwrap();
        for _ in 0..4 {
            sleep(secs(60)).await;
            retry(&instance).await;
        }
        sleep(secs(60)).await;
        assert_eq!(world.channel.texts(), ["sorry", "sorry", "sorry", "sorry", "reminder"]);
        let ids = world.channel.ids();
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), 5, "{ids:?}");
        assert!(ids.iter().all(|id| id.len() == 18), "{ids:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn all_attempts_of_a_retried_timer_have_the_same_reply_ids_on_any_instance() {
    let mut ids = BTreeSet::new();
    for (seconds, is_killed) in [(0, false), (0, true), (20, false), (20, true)] {
        let mut world = world();
        let oven = Oven { seconds, ..Oven::failing(1) };
        let first = world.start(bot(&oven));
        first.say("1", "go").await.unwrap();
        sleep(secs(60)).await;
        world.limits.timer_attempts_max = 2;
        // From now on a timer has a second try, at instances that start now.
        let second = world.start(bot(&oven));
        oven.failures.store(1, Ordering::SeqCst);
        first.kill();
        retry(&second).await;
        let third = world.start(bot(&oven));
        if is_killed {
            sleep(secs(15)).await;
            second.kill();
        }
        sleep(secs(200)).await;
        assert_eq!(world.channel.texts(), ["sorry", "reminder"], "{seconds} {is_killed}");
        assert!(parked(&third).await.is_empty());
        ids.insert(world.channel.ids());
    }
    assert_eq!(ids.len(), 1, "{ids:?}");
}

#[tokio::test(start_paused = true)]
async fn an_apology_that_was_refused_and_its_timer_are_separate_dead_letters() {
    for drops in [ParkedKind::Reply, ParkedKind::Timer] {
        let world = world();
        let instance = world.start(bot(&Oven::failing(1)));
        world.channel.script([refused()]);
        instance.say("1", "go").await.unwrap();
        sleep(secs(60)).await;
        let left = parked(&instance).await;
        assert_eq!(left.len(), 2);
        let dropped = left.iter().find(|parked| parked.kind == drops).unwrap();
        assert_eq!(instance.engine.drop_parked(&key(), Some(&dropped.id)).await.unwrap(), 1);
        assert_eq!(parked(&instance).await.len(), 1);
        assert_eq!(instance.engine.retry_parked(&key(), None).await.unwrap(), 1);
        sleep(secs(60)).await;
        let expected = match drops {
            ParkedKind::Reply => "reminder",
            _ => "sorry",
        };
        assert_eq!(world.channel.texts(), [expected]);
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_retried_timer_said_can_be_changed_later() {
    let world = world();
    let instance = world.start(bot(&Oven::failing(1)));
    let named = |id: &str| Step::TakeAnd(Delivery::Delivered { id: Some(id.to_owned()) });
    world.channel.script([named("c-sorry"), named("c-reminder")]);
    instance.say("1", "go").await.unwrap();
    sleep(secs(60)).await;
    retry(&instance).await;
    sleep(secs(60)).await;
    instance.say("2", "change").await.unwrap();
    world.until_delivered().await;
    let change = ("messageUpdate".to_owned(), Some("c-reminder".to_owned()), "changed".to_owned());
    assert_eq!(world.channel.changes().last(), Some(&change));
}
