//! Shut-down, outages, deadlines and clocks under further circumstances: many conversations at
//! once, heirs that come late, outages without a time, senders of every kind.

mod clocks;
mod deadline;

use std::time::Duration;

use sayso_turn::{Bot, Limits, Turn, channel::Delivery};
use tokio::time::sleep;

use super::{arrived, millis, secs};
use crate::world::{Call, Fault, Instance, Step, World, log_bot, message_in};

fn later(seconds: u64) -> Step {
    let after = Some(secs(seconds));
    Step::Answer(Delivery::Later { after, reason: "down for maintenance".into() })
}

fn refuse() -> Step {
    Step::Answer(Delivery::Later { after: None, reason: "503".into() })
}

fn always(world: &World, step: impl Into<Option<Step>>) {
    *world.channel.always.lock().unwrap() = step.into();
}

fn saves(world: &World, conversation: usize) -> usize {
    let calls = world.store.calls_of(&format!("test/conversations/c{conversation}"));
    calls.iter().filter(|(_, call)| *call == Call::Save).count()
}

async fn one_message_each(instance: &Instance, count: usize, id: &str) {
    for n in 0..count {
        let said = message_in(&format!("c{n}"), id, &format!("m{n}"));
        instance.engine.receive(said).await.unwrap();
    }
}

fn commits(instances: &[Instance]) -> u64 {
    instances.iter().map(|instance| instance.engine.stats().commits).sum()
}

fn parked(instances: &[Instance]) -> u64 {
    instances.iter().map(|instance| instance.engine.stats().parked).sum()
}

/// The most hand-overs that began within any second.
fn most_in_a_second(world: &World) -> usize {
    let times = world.channel.took.lock().unwrap().clone();
    let until = |first: &Duration| times.partition_point(|at| *at < *first + secs(1));
    times.iter().enumerate().map(|(before, first)| until(first) - before).max().unwrap_or(0)
}

#[tokio::test(start_paused = true)]
async fn an_heir_delivers_at_once_what_three_hundred_conversations_left() {
    for is_late in [false, true] {
        let world = World::new();
        always(&world, Step::Hang);
        let first = world.start(log_bot());
        let mut heirs = Vec::new();
        if !is_late {
            heirs.push(world.start(log_bot()));
        }
        one_message_each(&first, 300, "1").await;
        first.engine.close(millis(300)).await;
        first.kill();
        always(&world, None);
        if is_late {
            heirs.push(world.start(log_bot()));
        }
        let texts = arrived(&world, 300, secs(5)).await;
        assert_eq!(texts.len(), 300, "late heir: {is_late}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_heir_delivers_at_once_after_a_close_without_any_time() {
    for (step, repeats) in [
        (later(600), 0),
        (refuse(), 0),
        (Step::Hang, 1),
        (Step::Answer(Delivery::Unknown { reason: "reset".into() }), 1),
    ] {
        let world = World::new();
        *world.store.latency.lock().unwrap() = millis(100);
        always(&world, step.clone());
        let (first, heir) = (world.start(log_bot()), world.start(log_bot()));
        for id in ["1", "2", "3"] {
            first.say(id, &format!("m{id}")).await.unwrap();
        }
        first.engine.close(Duration::ZERO).await;
        first.kill();
        always(&world, None);
        let texts = arrived(&world, 3, secs(6)).await;
        assert_eq!(texts, ["m1", "m1 m2", "m1 m2 m3"], "{step:?}");
        assert_eq!(heir.engine.stats().repeats, repeats, "{step:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_delivered_before_a_close_is_not_delivered_by_an_heir() {
    let world = World::new();
    world.channel.script([Step::Slow(millis(1)), later(3000)]);
    let (first, heir) = (world.start(log_bot()), world.start(log_bot()));
    first.say("1", "m1").await.unwrap();
    first.say("2", "m2").await.unwrap();
    sleep(millis(20)).await;
    first.engine.close(millis(300)).await;
    first.kill();
    arrived(&world, 2, secs(5)).await;
    sleep(secs(60)).await;
    assert_eq!(world.channel.texts(), ["m1", "m1 m2"]);
    assert_eq!(heir.engine.stats().repeats, 0);
}

#[tokio::test(start_paused = true)]
async fn what_is_committed_while_claims_are_released_is_left_to_an_heir() {
    let world = World::new();
    let (first, heir) = (world.start(log_bot()), world.start(log_bot()));
    world.store.fail_saves([Fault::Slow(millis(200))]);
    let turn = first.say("1", "m1");
    let close = async {
        sleep(millis(10)).await;
        first.engine.close(millis(50)).await
    };
    let (answer, _) = tokio::join!(turn, close);
    answer.unwrap();
    sleep(secs(5)).await;
    assert_eq!(world.channel.texts(), ["m1"]);
    assert_eq!((first.engine.stats().delivered, heir.engine.stats().delivered), (0, 1));
    assert_eq!(heir.engine.stats().repeats, 0);
}

/// Measures the time, in real time, that an instance with so many claims to release takes to close.
async fn releasing_time(count: usize) -> Duration {
    let world = World::new();
    always(&world, Step::Hang);
    let instance = world.start(log_bot());
    one_message_each(&instance, count, "1").await;
    assert_eq!(instance.engine.busy(), count);
    let began = std::time::Instant::now();
    instance.engine.close(millis(100)).await;
    let took = began.elapsed();
    for n in [0, count - 1] {
        let document = world.store.document(&format!("test/conversations/c{n}")).await.unwrap();
        assert!(document.ledger.claim.is_none(), "conversation {n} is given up");
    }
    took
}

#[tokio::test(start_paused = true)]
async fn giving_up_claims_takes_time_in_proportion_to_them() {
    let mut told = Vec::new();
    // Of several tries, since others may use the machine.
    for _ in 0..3 {
        let few = releasing_time(2_000).await;
        let many = releasing_time(10_000).await;
        if many < few.max(millis(50)) * 12 {
            return;
        }
        told.push(format!("{few:?} for 2,000, {many:?} for 10,000"));
    }
    panic!("{told:?}");
}

#[tokio::test(start_paused = true)]
async fn whoever_comes_late_in_an_outage_keeps_to_the_time_of_the_next_try() {
    for began in [secs(60), secs(300), secs(590), secs(640)] {
        for is_closed in [false, true] {
            let world = World::new();
            world.channel.script([later(600)]);
            let first = world.start(log_bot());
            first.say("1", "m1").await.unwrap();
            sleep(secs(30)).await;
            if is_closed {
                first.engine.close(secs(1)).await;
            }
            first.kill();
            sleep(began - secs(30)).await;
            let heir = world.start(log_bot());
            sleep(secs(590).saturating_sub(began)).await;
            assert!(world.channel.texts().is_empty(), "the channel asked for ten minutes");
            sleep(secs(40)).await;
            assert_eq!(world.channel.texts(), ["m1"], "the heir began after {began:?}");
            assert_eq!(heir.engine.stats().repeats, 0);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_outage_costs_three_writes_whenever_it_begins_and_whatever_was_said() {
    for replies in [1, 3] {
        for has_spoken in [false, true] {
            let world = World::new();
            let bot = move || {
                Bot::new().on_message(move |mut turn: Turn| async move {
                    for n in 0..replies {
                        turn.say(format!("{} {n}", turn.text()));
                    }
                    Ok(())
                })
            };
            let instances = [world.start(bot()), world.start(bot())];
            if has_spoken {
                for n in 0..100 {
                    let said = message_in(&format!("c{n}"), "0", "hello");
                    instances[(n + 1) % 2].engine.receive(said).await.unwrap();
                }
                sleep(secs(30)).await;
            }
            let before: Vec<usize> = (0..100).map(|n| saves(&world, n)).collect();
            always(&world, later(600));
            for n in 0..100 {
                let said = message_in(&format!("c{n}"), "1", "x");
                instances[n % 2].engine.receive(said).await.unwrap();
            }
            sleep(secs(605)).await;
            let most = (0..100).map(|n| saves(&world, n) - before[n]).max().unwrap();
            assert!(most <= 3, "{most} writes; {replies} replies, has spoken: {has_spoken}");
            always(&world, None);
            sleep(secs(660)).await;
            let count = 100 * replies * if has_spoken { 2 } else { 1 };
            assert_eq!(world.channel.texts().len(), count);
            let repeats: u64 = instances.iter().map(|i| i.engine.stats().repeats).sum();
            assert_eq!(repeats, 0);
        }
    }
}

/// Outages that the channel does not put a time to.
#[tokio::test(start_paused = true)]
async fn an_outage_without_a_time_costs_a_few_writes_a_minute_and_loses_nothing() {
    for step in [refuse(), Step::Hang, later(5), later(20)] {
        let world = World::new();
        let instances = [world.start(log_bot()), world.start(log_bot())];
        always(&world, step.clone());
        for n in 0..100 {
            let said = message_in(&format!("c{n}"), "1", &format!("m{n}"));
            instances[n % 2].engine.receive(said).await.unwrap();
        }
        sleep(secs(600)).await;
        let most = (0..100).map(|n| saves(&world, n)).max().unwrap();
        let tried = world.channel.took.lock().unwrap().len();
        let busy = instances.iter().map(|instance| instance.engine.busy()).sum::<usize>();
        let parked = parked(&instances);
        println!("{step:?}: {most} writes, {tried} tries of 100, {busy} busy, {parked} parked");
        assert!(most <= 84, "{step:?}: {most} writes for one conversation");
        assert!(busy < 80, "{step:?}: {busy} are kept in memory");
        always(&world, None);
        sleep(secs(120)).await;
        assert_eq!(world.channel.texts().len() as u64 + parked, 100, "{step:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn messages_during_an_outage_cost_one_write_each_and_no_try() {
    let world = World::new();
    let instances = [world.start(log_bot()), world.start(log_bot())];
    always(&world, later(600));
    instances[0].engine.receive(message_in("c0", "0", "m0")).await.unwrap();
    sleep(secs(30)).await;
    let before = commits(&instances);
    for n in 1..21 {
        let said = message_in("c0", &n.to_string(), &format!("m{n}"));
        instances[n % 2].engine.receive(said).await.unwrap();
        sleep(secs(20)).await;
    }
    assert_eq!(commits(&instances) - before, 20);
    assert_eq!(world.channel.took.lock().unwrap().len(), 1);
    always(&world, None);
    sleep(secs(250)).await;
    assert_eq!(world.channel.texts().len(), 21);
}

#[tokio::test(start_paused = true)]
async fn tries_after_an_outage_are_paced() {
    let mut world = World::new();
    world.limits = Limits { recoveries_max: 10, ..Limits::default() };
    let instance = world.start(log_bot());
    always(&world, later(600));
    one_message_each(&instance, 100, "1").await;
    sleep(secs(300)).await;
    world.channel.took.lock().unwrap().clear();
    always(&world, Step::Slow(secs(1)));
    sleep(secs(400)).await;
    assert_eq!(world.channel.texts().len(), 100);
    let most = most_in_a_second(&world);
    assert!(most <= 20, "{most} at once");
}

#[tokio::test(start_paused = true)]
async fn take_overs_from_an_instance_that_is_gone_are_paced() {
    for is_watched in [false, true] {
        let mut world = World::new();
        world.limits = Limits { recoveries_max: 10, ..Limits::default() };
        let (first, heir) = (world.start(log_bot()), world.start(log_bot()));
        always(&world, Step::Hang);
        one_message_each(&first, 100, "1").await;
        if is_watched {
            // The heir has turns in these conversations, and sees whose the claims are.
            one_message_each(&heir, 100, "2").await;
        }
        first.kill();
        world.channel.took.lock().unwrap().clear();
        always(&world, Step::Slow(secs(1)));
        sleep(secs(200)).await;
        let count = if is_watched { 200 } else { 100 };
        assert_eq!(world.channel.texts().len(), count, "watched: {is_watched}");
        let most = most_in_a_second(&world);
        assert!(most <= 20, "{most} at once, watched: {is_watched}");
        assert_eq!(heir.engine.busy(), 0);
    }
}
