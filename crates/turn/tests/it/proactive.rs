//! Turns that nobody asked for: in line with the others, once under one id, at a pace.

use std::{sync::Arc, time::Duration};

use sayso_turn::{
    Bot, Error, Pace, Turn,
    activity::{Activity, Reference},
    channel::Delivery,
};
use tokio::{sync::Semaphore, time::Instant};

use crate::world::{Step, World, append, log_bot, message};

fn reference() -> Reference {
    let mut known = message("1", "hi").reference();
    known.activity_id = Some("old".to_owned());
    known
}

async fn remind(mut turn: Turn) -> Result<(), sayso_turn::BotError> {
    turn.activity_mut().text = Some("reminder".to_owned());
    append(turn).await
}

#[tokio::test(start_paused = true)]
async fn a_conversation_is_continued_once_under_one_id_at_any_instance() {
    let world = World::new();
    let (first, second) = (world.start(log_bot()), world.start(log_bot()));
    first.say("1", "m1").await.unwrap();
    let answer = first.engine.resume(&reference(), "r1", remind).await.unwrap();
    assert!(!answer.is_repeat);
    assert!(second.engine.resume(&reference(), "r1", remind).await.unwrap().is_repeat);
    assert!(!second.engine.resume(&reference(), "r2", remind).await.unwrap().is_repeat);
    world.until_delivered().await;
    assert_eq!(world.log().await, ["m1", "reminder", "reminder"]);
    assert_eq!(world.channel.texts().len(), 3);
    let replies_to = world.channel.replies_to();
    assert_eq!(replies_to, [Some("1".to_owned()), None, None], "it is a reply to nothing");
}

#[tokio::test(start_paused = true)]
async fn it_waits_in_line_with_the_turns_of_the_users() {
    let world = World::new();
    let gate = Arc::new(Semaphore::new(0));
    let held = Arc::clone(&gate);
    let bot = Bot::new().on_message(move |turn: Turn| {
        let held = Arc::clone(&held);
        async move {
            drop(held.acquire().await?);
            append(turn).await
        }
    });
    let instance = world.start(bot);
    let engine = instance.engine.clone();
    let users = tokio::spawn(async move { engine.receive(message("1", "m1")).await });
    tokio::task::yield_now().await;
    let engine = instance.engine.clone();
    let ours = tokio::spawn(async move { engine.resume(&reference(), "r", remind).await });
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(!ours.is_finished(), "serialised");
    gate.add_permits(1);
    users.await.unwrap().unwrap();
    ours.await.unwrap().unwrap();
    assert_eq!(world.log().await, ["m1", "reminder"]);
}

#[tokio::test(start_paused = true)]
async fn one_that_fails_changes_nothing_and_says_nothing() {
    let world = World::new();
    let bot = log_bot().on_error(async |mut turn: Turn, _| {
        turn.say("m: sorry");
        Ok(())
    });
    let instance = world.start(bot);
    let (customer, nobody) = (reference(), Reference::default());
    let failed = instance.engine.resume(&customer, "r", async |mut turn: Turn| {
        turn.say("m: a false word");
        Err("the shop is closed".into())
    });
    assert!(matches!(failed.await, Err(Error::Failed(_))));
    let nowhere = instance.engine.resume(&nobody, "r", remind);
    assert!(matches!(nowhere.await, Err(Error::Invalid(_))));
    // What failed may be done again, under the same id.
    instance.engine.resume(&reference(), "r", remind).await.unwrap();
    world.until_delivered().await;
    assert_eq!(world.channel.texts(), ["reminder"]);
}

fn readers(count: usize) -> Vec<Reference> {
    (0..count)
        .map(|n| {
            let mut reader = reference();
            reader.conversation.as_mut().unwrap().id = Some(format!("c{n}"));
            reader
        })
        .collect()
}

#[tokio::test(start_paused = true)]
async fn a_broadcast_keeps_its_pace_and_can_be_run_again() {
    let world = World::new();
    let instance = world.start(log_bot());
    let began = Instant::now();
    let pace = Pace { per_second: 10, ..Pace::default() };
    let mut everybody = readers(50);
    everybody.push(Reference::default());
    let said = instance.engine.broadcast(everybody, "news", pace, remind).await;
    assert_eq!((said.done, said.repeated, said.failed.len()), (50, 0, 1));
    let took = began.elapsed().as_secs_f64();
    assert!((4.9..5.6).contains(&took), "51 at 10 per second: {took}");
    let again = instance.engine.broadcast(readers(60), "news", pace, remind).await;
    assert_eq!((again.done, again.repeated, again.failed.len()), (10, 50, 0));
}

#[tokio::test(start_paused = true)]
async fn a_broadcast_slows_down_when_the_channel_asks_for_patience() {
    let world = World::new();
    let instance = world.start(log_bot());
    let later = Delivery::Later { after: Some(Duration::from_secs(20)), reason: "429".to_owned() };
    world.channel.script((0..10).map(|_| Step::Answer(later.clone())));
    let began = Instant::now();
    let pace = Pace { per_second: 100, at_once: 4, busy_max: 10 };
    let said = instance.engine.broadcast(readers(30), "news", pace, remind).await;
    assert_eq!(said.done, 30);
    assert!(began.elapsed() >= Duration::from_secs(20), "{:?}", began.elapsed());
    for _ in 0..100 {
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    assert_eq!(world.channel.texts().len(), 30);
    assert_eq!(Activity::event("x").name.as_deref(), Some("x"));
}

/// The sweep ends when an instance closes, so what rests stays: nobody may wait for it.
#[tokio::test(start_paused = true)]
async fn a_broadcast_that_waits_for_resting_conversations_ends_when_its_instance_closes() {
    let world = World::new();
    let instance = world.start(log_bot());
    let down = Delivery::Later { after: Some(Duration::from_secs(600)), reason: "down".to_owned() };
    *world.channel.always.lock().unwrap() = Some(Step::Answer(down));
    let engine = instance.engine.clone();
    let broadcast = tokio::spawn(async move {
        let pace = Pace { per_second: 100, busy_max: 10, ..Pace::default() };
        engine.broadcast(readers(1000), "news", pace, remind).await
    });
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert!(!broadcast.is_finished(), "it waits for the channel");
    assert_eq!(instance.engine.close(Duration::from_secs(10)).await, 0);
    let ended = tokio::time::timeout(Duration::from_secs(1), broadcast).await;
    let said = ended.expect("it ends with its instance").unwrap();
    assert!((10..30).contains(&said.done), "{}", said.done);
    assert_eq!(said.done + said.failed.len(), 1000, "each of them is accounted for");
    assert!(said.failed.iter().all(|(_, error)| matches!(error, Error::Closing)));
}
