//! Reads of further documents: cancelled without harm, and of one state.

use std::{sync::atomic::Ordering, time::Duration};

use sayso_turn::{Bot, BotError, Key, Turn};
use tokio::time::{sleep, timeout};

use super::{Outside, millis, secs};
use crate::world::{Fault, World, append, message_in};

const USER: &str = "test/users/u";

#[tokio::test(start_paused = true)]
async fn a_read_that_is_cancelled_leaves_the_turn_able_to_commit() {
    let (world, runs) = (World::new(), Outside::default());
    for _ in 0..10 {
        world.store.fail_load_of(USER, Fault::Slow(secs(1)));
    }
    let seen = runs.clone();
    let bot = Bot::new().on_message(move |mut turn: Turn| {
        let runs = seen.clone();
        async move {
            runs.note("run");
            let read = timeout(millis(1), turn.user::<u32>()).await.is_ok();
            assert!(!read, "the load is slow");
            append(turn).await
        }
    });
    let instance = world.start(bot);
    let said = instance.say("1", "pizza").await;
    assert!(said.is_ok(), "{said:?}");
    assert_eq!(world.log().await, ["pizza"]);
    assert_eq!(runs.calls().len(), 1, "it needs no second run");
}

#[tokio::test(start_paused = true)]
async fn a_read_that_was_cancelled_can_be_made_again_in_the_same_turn() {
    let world = World::new();
    world.store.fail_load_of(USER, Fault::Slow(secs(1)));
    let bot = Bot::new().on_message(async |mut turn: Turn| {
        if turn.text() == "cancelled" {
            drop(timeout(millis(1), turn.user::<u32>()).await);
        }
        *turn.user::<u32>().await? += 1;
        append(turn).await
    });
    let instance = world.start(bot);
    instance.say("1", "cancelled").await.unwrap();
    instance.say("2", "read").await.unwrap();
    assert_eq!(world.log().await, ["cancelled", "read"]);
    assert_eq!(instance.engine.stats().attempts, 2);
}

fn key(name: &str) -> Key {
    Key::new(format!("shop/{name}")).unwrap()
}

/// `write` adds one to two documents; anything else reads them both and says what they are.
fn shop() -> Bot {
    Bot::new().on_message(async |mut turn: Turn| {
        if turn.text() == "write" {
            *turn.custom(key("price")).await?.named::<u32>("n")? += 1;
            *turn.custom(key("stock")).await?.named::<u32>("n")? += 1;
            return Ok::<_, BotError>(());
        }
        let price = *turn.custom(key("price")).await?.named::<u32>("n")?;
        let stock = *turn.custom(key("stock")).await?.named::<u32>("n")?;
        if turn.text() == "read and write" {
            *turn.user::<u32>().await? += 1;
        }
        turn.say(format!("{price} {stock}"));
        Ok(())
    })
}

/// Another conversation commits both at some moment of the reading, at one after the other.
async fn reads_are_whole(text: &str, has_steps: bool, is_same: bool) {
    let mut between = 0;
    for offset in (0..600).step_by(20) {
        let world = World::new();
        world.store.has_steps.store(has_steps, Ordering::Relaxed);
        let writer = world.start(shop());
        let reader = if is_same { None } else { Some(world.start(shop())) };
        let reader = reader.as_ref().unwrap_or(&writer);
        writer.engine.receive(message_in("w", "1", "write")).await.unwrap();
        sleep(secs(5)).await;
        world.store.fail_load_of("shop/price", Fault::Slow(millis(1)));
        world.store.fail_load_of("shop/stock", Fault::Slow(millis(400)));
        let write = async {
            sleep(Duration::from_millis(offset)).await;
            writer.engine.receive(message_in("w", "2", "write")).await
        };
        let read = async { reader.engine.receive(message_in("r", "1", text)).await };
        let (written, read) = tokio::join!(write, read);
        written.unwrap();
        read.unwrap();
        sleep(secs(30)).await;
        let texts = world.channel.texts();
        assert_eq!(texts.len(), 1);
        let is_whole = matches!(texts[0].as_str(), "1 1" | "2 2");
        assert!(is_whole, "{text:?} saw half of a commit after {offset} ms: {}", texts[0]);
        between += usize::from(reader.engine.stats().attempts > 1);
    }
    println!("{text}: {between} turns ran again");
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_only_reads_two_documents_never_sees_half_of_a_commit() {
    reads_are_whole("read", false, false).await;
    reads_are_whole("read", false, true).await;
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_reads_two_and_writes_a_third_never_sees_half_of_a_commit() {
    reads_are_whole("read and write", false, false).await;
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_only_reads_never_sees_half_of_a_commit_without_transactions() {
    reads_are_whole("read", true, false).await;
    reads_are_whole("read and write", true, false).await;
}
