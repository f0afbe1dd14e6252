//! Whoever sends hears in time, whatever kind it is and whatever is slow.

use sayso_turn::{Bot, Turn, activity::Activity};
use tokio::time::{Instant, sleep, timeout};

use super::super::{millis, secs};
use crate::world::{CONVERSATION, Fault, World, append, asking, invoke, log_bot, message};

const USER: &str = "test/users/u";

async fn hears(world: &World, bot: Bot, sent: Activity, what: &str) {
    let instance = world.start(bot);
    let began = Instant::now();
    let heard = timeout(secs(60), instance.engine.receive(sent)).await.unwrap();
    let waited = began.elapsed();
    assert!(waited <= secs(13), "{what}: heard after {waited:?}: {heard:?}");
}

fn invoking_bot() -> Bot {
    invoking_bot_with(log_bot())
}

fn invoking_bot_with(bot: Bot) -> Bot {
    bot.on_invoke("pay", async |mut turn: Turn| {
        *turn.state().named::<u32>("paid")? += 1;
        Ok(())
    })
}

#[tokio::test(start_paused = true)]
async fn every_kind_of_sender_hears_in_time_whatever_part_is_slow() {
    let kinds = || [message("1", "m"), asking("2", "m"), invoke("3", "pay")];
    for kind in 0..3 {
        for load in [0, 3_000, 7_900, 8_100, 11_900, 11_999, 12_100] {
            for fault in [
                Fault::Hang,
                Fault::Unavailable,
                Fault::LostRequest,
                Fault::Slow(secs(11)),
                Fault::Conflict,
                Fault::Throttled(Some(secs(600))),
            ] {
                let world = World::new();
                world.store.fail_load_of(CONVERSATION, Fault::Slow(millis(load)));
                *world.store.always.lock().unwrap() = Some(fault.clone());
                hears(
                    &world,
                    invoking_bot(),
                    kinds()[kind].clone(),
                    &format!("{kind} {load} {fault:?}"),
                )
                .await;
            }
        }
        let world = World::new();
        *world.store.always_loads.lock().unwrap() = Some(Fault::Hang);
        hears(&world, invoking_bot(), kinds()[kind].clone(), "a hung load").await;
    }
}

#[tokio::test(start_paused = true)]
async fn slow_logic_and_a_slow_store_share_one_deadline() {
    for logic in [3_000, 7_000, 7_990, 9_000, 11_900] {
        for sent in [message("1", "m"), asking("2", "m")] {
            let world = World::new();
            world.store.fail_load_of(CONVERSATION, Fault::Slow(millis(5_000)));
            world.store.fail_load_of(USER, Fault::Slow(millis(5_000)));
            *world.store.always.lock().unwrap() = Some(Fault::Hang);
            let bot = Bot::new()
                .on_message(move |mut turn: Turn| async move {
                    turn.user_state().await?;
                    sleep(millis(logic)).await;
                    append(turn).await
                })
                .on_error(async |mut turn: Turn, _| {
                    sleep(secs(9)).await;
                    turn.say("sorry");
                    Ok(())
                });
            hears(&world, bot, sent, &format!("logic of {logic} ms")).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn whoever_comes_while_a_save_hangs_hears_in_time() {
    let world = World::new();
    let instance = world.start(invoking_bot());
    instance.say("0", "m0").await.unwrap();
    *world.store.always.lock().unwrap() = Some(Fault::Hang);
    let mut waiting = Vec::new();
    for n in 0..24_u64 {
        let engine = instance.engine.clone();
        waiting.push(tokio::spawn(async move {
            sleep(millis(n * 1000)).await;
            let began = Instant::now();
            let sent = match n % 3 {
                0 => message(&format!("m{n}"), "m"),
                1 => asking(&format!("a{n}"), "m"),
                _ => invoke(&format!("i{n}"), "pay"),
            };
            let heard = timeout(secs(60), engine.receive(sent)).await;
            (n, began.elapsed(), heard.is_ok())
        }));
    }
    for one in waiting {
        let (n, waited, has_heard) = one.await.unwrap();
        assert!(has_heard && waited <= secs(13), "{n} heard after {waited:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn whoever_comes_behind_a_long_turn_whose_commit_hangs_hears_in_time() {
    for fault in [Fault::Hang, Fault::Invalid, Fault::Unavailable] {
        let world = World::new();
        let long = async |turn: Turn| {
            if turn.text() == "long" {
                sleep(secs(20)).await;
            }
            append(turn).await
        };
        let bot = invoking_bot_with(Bot::new().on_message(long));
        let instance = world.start(bot);
        let first = instance.say("0", "long").await.unwrap();
        assert!(first.is_pending);
        *world.store.always.lock().unwrap() = Some(fault.clone());
        let mut waiting = Vec::new();
        for n in 0..30_u64 {
            let engine = instance.engine.clone();
            waiting.push(tokio::spawn(async move {
                sleep(millis(n * 700)).await;
                let began = Instant::now();
                let sent = match n % 3 {
                    0 => message(&format!("m{n}"), "m"),
                    1 => asking(&format!("a{n}"), "m"),
                    _ => invoke(&format!("i{n}"), "pay"),
                };
                let heard = timeout(secs(60), engine.receive(sent)).await;
                (n, began.elapsed(), heard.is_ok())
            }));
        }
        for one in waiting {
            let (n, waited, has_heard) = one.await.unwrap();
            assert!(has_heard && waited <= secs(13), "{fault:?}: {n} heard after {waited:?}");
        }
    }
}
