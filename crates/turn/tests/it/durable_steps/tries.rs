//! Tries of a step: back-off, time-out, and what is kept of failures.

use sayso_turn::{Bot, BotError, IdempotencyKey, StepError, Turn, clock::Clock};

use super::{Service, bot, ended, saved, secs};
use crate::world::{PausedClock, World};

/// Takes one step and says what came of it, then another one.
fn one_step(service: &Service, attempts: u32) -> Bot {
    let service = service.clone();
    Bot::new().on_message(move |mut turn: Turn| {
        let service = service.clone();
        async move {
            let service = &service;
            let call = |key: IdempotencyKey| service.call("pay", key.to_string());
            let step = turn.step("pay", call).attempts(attempts);
            let paid = step.backoff(secs(1), secs(3)).time_out(secs(5)).await;
            turn.say(match paid {
                Ok(number) => format!("paid {number}"),
                Err(error) => error.to_string(),
            });
            let call = |key: IdempotencyKey| service.call("ship", key.to_string());
            let _: usize = turn.step("ship", call).await?;
            Ok(())
        }
    })
}

#[tokio::test(start_paused = true)]
async fn a_failing_call_is_tried_again_with_back_off_under_the_same_key() {
    let (world, service) = (World::new(), Service::default());
    let instance = world.start(one_step(&service, 5));
    service.fail("pay", 4);
    let began = PausedClock.uptime();
    instance.say("1", "x").await.unwrap();
    ended(&world).await;
    let took = PausedClock.uptime() - began;
    assert_eq!(service.called(), ["pay", "pay", "pay", "pay", "pay", "ship"]);
    let keys = service.keys();
    assert!(keys[..5].iter().all(|key| *key == keys[0]), "{keys:?}");
    assert_eq!(world.channel.texts(), ["paid 5"]);
    // 1, 2, 3 and 3 seconds.
    assert!((secs(9)..secs(10)).contains(&took), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn after_the_last_try_the_turn_gets_the_error_and_nothing_is_stored_of_it() {
    let (world, service) = (World::new(), Service::default());
    let instance = world.start(one_step(&service, 2));
    service.fail("pay", 2);
    instance.say("1", "x").await.unwrap();
    ended(&world).await;
    assert_eq!(service.called(), ["pay", "pay", "ship"]);
    assert_eq!(world.channel.texts(), ["step `pay` failed in 2 of 2 attempts"]);
    assert_eq!(instance.engine.stats().steps, 1, "only the other step is saved");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_takes_too_long_is_dropped_and_tried_again() {
    let (world, service) = (World::new(), Service::default());
    let instance = world.start(one_step(&service, 2));
    service.take("pay", secs(60));
    instance.say("1", "x").await.unwrap();
    ended(&world).await;
    assert_eq!(service.called(), ["pay", "pay", "ship"]);
    let said = world.channel.texts();
    assert_eq!(said, ["step `pay` took longer than 5s (time_out), 2 attempts were made"]);
}

#[tokio::test(start_paused = true)]
async fn a_failed_step_keeps_its_name_and_number() {
    let (world, service) = (World::new(), Service::default());
    let failing = service.clone();
    let instance = world.start(Bot::new().on_message(move |mut turn: Turn| {
        let service = failing.clone();
        async move {
            let service = &service;
            for _ in 0..2 {
                let call = |key: IdempotencyKey| service.call("pay", key.to_string());
                let paid: Result<usize, StepError> = turn.step("pay", call).attempts(1).await;
                turn.say(format!("{}", paid.is_ok()));
            }
            Ok(())
        }
    }));
    service.fail("pay", 1);
    instance.say("1", "x").await.unwrap();
    ended(&world).await;
    assert_eq!(service.called(), ["pay", "pay"], "the same key");
    assert_eq!(world.channel.texts(), ["false", "true"]);
}

#[tokio::test(start_paused = true)]
async fn all_tries_together_have_the_time_of_a_long_turn() {
    let (mut world, service) = (World::new(), Service::default());
    world.limits.long_deadline = secs(30);
    let instance = world.start(bot(&service));
    service.take("charge", secs(20));
    service.fail("charge", 9);
    instance.say("1", "buy").await.unwrap();
    ended_or_parked(&world).await;
    let ledger = world.ledger().await;
    assert!(ledger.parked[0].reason.contains("long_deadline"), "{:?}", ledger.parked);
    assert_eq!(saved(&ledger), 0, "they leave with the turn");
    assert_eq!(service.called(), ["reserve", "charge", "charge"]);
}

async fn ended_or_parked(world: &World) {
    super::until(world, |ledger| !ledger.parked.is_empty()).await;
}

#[tokio::test(start_paused = true)]
async fn an_invoke_whose_turn_fails_after_a_step_hears_the_error() {
    let (world, service) = (World::new(), Service::default());
    let instance = world.start(bot(&service));
    service.fail("charge", 3);
    let error = instance.engine.receive(crate::world::invoke("1", "buy")).await.unwrap_err();
    assert!(error.to_string().contains("logic failed"), "{error}");
    assert_eq!(service.called(), ["reserve", "charge", "charge", "charge"]);
    assert_eq!(world.ledger().await.parked.len(), 1, "an operator sees it");
}

#[tokio::test(start_paused = true)]
async fn steps_taken_together_are_saved_together() {
    let (world, service) = (World::new(), Service::default());
    let both = service.clone();
    let instance = world.start(Bot::new().on_message(move |mut turn: Turn| {
        let service = both.clone();
        async move {
            let service = &service;
            let taken = {
                let pay = |key: IdempotencyKey| service.call("pay", key.to_string());
                let ship = |key: IdempotencyKey| service.call("ship", key.to_string());
                let (pay, ship) = (turn.step("pay", pay), turn.step("ship", ship));
                let (pay, ship) = futures_util::future::join(
                    IntoFuture::into_future(pay),
                    IntoFuture::into_future(ship),
                )
                .await;
                (pay?, ship?)
            };
            turn.say(format!("{taken:?}"));
            Ok::<_, BotError>(())
        }
    }));
    BOTH.iter().for_each(|step| service.take(step, secs(1)));
    instance.say("1", "x").await.unwrap();
    ended(&world).await;
    assert_eq!(world.channel.texts(), ["(1, 2)"]);
    assert_eq!(service.called(), BOTH);
}

const BOTH: [&str; 2] = ["pay", "ship"];
