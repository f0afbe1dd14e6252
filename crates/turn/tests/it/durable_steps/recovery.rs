//! Steps beside deaths, conflicts, lost answers and other instances.

use sayso_turn::{
    Bot, BotError, Key, Turn,
    activity::Activity,
    document::{Document, Ledger},
    store::{Expect, Store, Write},
};
use tokio::time::sleep;

use super::{BOUGHT, STEPS, Service, bot, ended, saved, secs, until};
use crate::world::{CONVERSATION, Fault, World};

/// Kills the first instance when so many results are saved and the next call has begun; gives the
/// names of all calls.
async fn killed_after(count: usize) -> (Vec<String>, Vec<String>) {
    let (world, service) = (World::new(), Service::default());
    let (first, second) = (world.start(bot(&service)), world.start(bot(&service)));
    STEPS.iter().for_each(|step| service.take(step, secs(2)));
    first.say("1", "buy").await.unwrap();
    until(&world, |ledger| saved(ledger) == count).await;
    sleep(secs(1)).await;
    first.kill();
    ended(&world).await;
    assert_eq!(second.engine.stats().recovered, 1);
    assert_eq!(world.log().await.len(), 1);
    assert_eq!(world.log().await, world.channel.texts());
    assert!(world.ledger().await.steps.is_empty());
    (service.called(), world.log().await)
}

#[tokio::test(start_paused = true)]
async fn after_a_death_finished_steps_are_not_made_again_and_the_one_under_way_is() {
    for count in 0..STEPS.len() {
        let (called, log) = killed_after(count).await;
        let mut wanted: Vec<&str> = STEPS[..=count].to_vec();
        wanted.extend(&STEPS[count..]);
        assert_eq!(called, wanted, "killed in step {count}");
        // What is said is what was saved: the call under way counted, its result did not.
        let numbers: Vec<usize> = (1..=STEPS.len()).map(|n| n + usize::from(n > count)).collect();
        let line = STEPS.iter().zip(numbers).map(|(step, number)| format!("{step} {number}"));
        assert_eq!(log, [line.collect::<Vec<_>>().join(", ")]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_dies_in_its_first_step_goes_on_without_a_redelivery() {
    let (called, _) = killed_after(0).await;
    assert_eq!(called, ["reserve", "reserve", "charge", "ship"]);
}

#[tokio::test(start_paused = true)]
async fn a_save_that_conflicts_or_has_no_answer_is_settled_by_looking() {
    for nth in 0..=STEPS.len() {
        for fault in [
            Fault::Conflict,
            Fault::LostAnswer,
            Fault::LostRequest,
            Fault::Unavailable,
            Fault::Throttled(Some(secs(1))),
        ] {
            let (world, service) = (World::new(), Service::default());
            let instance = world.start(bot(&service));
            STEPS.iter().for_each(|step| service.take(step, secs(1)));
            if nth == 0 {
                world.store.fail_saves([fault.clone()]);
                instance.say("1", "buy").await.unwrap();
            } else {
                instance.say("1", "buy").await.unwrap();
                until(&world, |ledger| saved(ledger) == nth - 1).await;
                world.store.fail_saves([fault.clone()]);
            }
            ended(&world).await;
            assert_eq!(service.called(), STEPS, "{fault:?} at save {nth}");
            assert_eq!(world.log().await, [BOUGHT], "{fault:?} at save {nth}");
            assert_eq!(world.channel.texts(), [BOUGHT], "{fault:?} at save {nth}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_turn_does_not_go_on_before_its_step_is_saved() {
    let (world, service) = (World::new(), Service::default());
    let instance = world.start(bot(&service));
    service.take("reserve", secs(1));
    instance.say("1", "buy").await.unwrap();
    world.store.fail_saves([Fault::Slow(secs(2))]);
    sleep(secs(2)).await;
    assert_eq!(service.called(), ["reserve"], "its save is on its way");
    ended(&world).await;
    assert_eq!(service.called(), STEPS);
}

#[tokio::test(start_paused = true)]
async fn a_frozen_instance_that_wakes_too_late_neither_calls_nor_writes() {
    for (step, fails) in [("charge", 0), ("charge", 1)] {
        let (world, service) = (World::new(), Service::default());
        let (first, second) = (world.start(bot(&service)), world.start(bot(&service)));
        service.take(step, secs(2));
        service.fail(step, fails);
        first.say("1", "buy").await.unwrap();
        until(&world, |ledger| saved(ledger) == 1).await;
        sleep(secs(1)).await;
        first.freeze();
        ended(&world).await;
        assert_eq!(second.engine.stats().recovered, 1);
        let called = service.called();
        assert_eq!(called, ["reserve", "charge", "charge", "ship"], "in flight, under one key");
        assert_eq!(service.keys()[1], service.keys()[2]);
        first.thaw();
        sleep(secs(60)).await;
        assert_eq!(service.called(), called, "a thawed one makes no call");
        assert_eq!(world.log().await.len(), 1);
        assert_eq!(world.log().await, world.channel.texts());
    }
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_leaves_the_turn_and_its_results_to_another_instance() {
    let (world, service) = (World::new(), Service::default());
    let (first, _second) = (world.start(bot(&service)), world.start(bot(&service)));
    service.take("charge", secs(8));
    first.say("1", "buy").await.unwrap();
    until(&world, |ledger| saved(ledger) == 1).await;
    first.engine.close(secs(2)).await;
    ended(&world).await;
    assert_eq!(service.called(), ["reserve", "charge", "charge", "ship"]);
    assert_eq!(world.channel.texts().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_timer_that_fails_keeps_its_steps_until_it_fires_again() {
    let (world, service) = (World::new(), Service::default());
    let stepping = service.clone();
    let logic = Bot::new()
        .on_message(async |mut turn: Turn| {
            turn.after(secs(1), Activity::event("pay"));
            Ok(())
        })
        .on_event("pay", move |mut turn: Turn| {
            let service = stepping.clone();
            async move {
                let service = &service;
                let call = |key: sayso_turn::IdempotencyKey| service.call("pay", key.to_string());
                let number: usize = turn.step("pay", call).await?;
                let call = |key: sayso_turn::IdempotencyKey| service.call("ship", key.to_string());
                let _: usize = turn.step("ship", call).attempts(1).await?;
                turn.say(format!("paid {number}"));
                Ok(())
            }
        });
    service.fail("ship", 2);
    let instance = world.start(logic);
    instance.say("1", "x").await.unwrap();
    until(&world, |ledger| ledger.turn == 2 && ledger.outbox.is_empty()).await;
    assert_eq!(service.called(), ["pay", "ship", "ship", "ship"]);
    assert_eq!(world.channel.texts(), ["paid 1"]);
    let ledger = world.ledger().await;
    assert!(ledger.steps.is_empty() && ledger.parked.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_panic_in_a_step_fails_the_turn_and_stores_no_result() {
    let world = World::new();
    let logic = Bot::new()
        .on_message(async |turn: Turn| {
            let _: u32 = turn
                .step("break", async |_| -> Result<u32, BotError> {
                    std::panic::resume_unwind(Box::new("asked to"))
                })
                .await?;
            Ok(())
        })
        .on_error(async |mut turn: Turn, failure| {
            turn.say(failure.to_string());
            Ok(())
        });
    let instance = world.start(logic);
    instance.say("1", "x").await.unwrap();
    ended(&world).await;
    assert_eq!(world.channel.texts(), ["the bot's logic panicked"]);
    assert_eq!(instance.engine.stats().steps, 0);
    assert!(world.ledger().await.steps.is_empty());
}

/// Puts a document into the store, as another build has left it.
async fn stored(world: &World, ledger: &str) {
    let write = Write {
        key: Key::new(CONVERSATION).unwrap(),
        expect: Expect::Absent,
        body: format!(r#"{{"$sayso":{ledger}}}"#),
        due: Some(Ledger::UNCLAIMED),
        expires: None,
        participants: Default::default(),
    };
    world.store.inner.save(write).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn results_of_turns_that_an_older_build_has_ended_are_dropped() {
    let (world, service) = (World::new(), Service::default());
    let steps = r#"[{"turn":"AAAAAAAAAAAAAAAA","done":[{"name":"charge","result":7}]}]"#;
    stored(&world, &format!(r#"{{"v":1,"turn":1,"rev":3,"steps":{steps}}}"#)).await;
    let before = world.document().await.unwrap();
    assert!(before.to_json().contains(steps), "read and kept");
    let instance = world.start(bot(&service));
    instance.say("1", "a").await.unwrap();
    assert!(world.ledger().await.steps.is_empty());
}

#[test]
fn the_stored_form_of_steps_is_golden() {
    let body = r#"{"$sayso":{"v":1,"turn":0,"rev":0,"write":"","seen":"","steps":[{"turn":"t","done":[{"name":"charge","result":{"a":[1.0]}},{"name":"charge","number":2,"result":null}]}]}}"#;
    let document = Document::parse(&Key::new("k").unwrap(), body).unwrap();
    assert_eq!(document.ledger.steps[0].done[1].number, 2);
    assert_eq!(document.to_json(), body);
}
