//! `once` while its call is under way: attempts that are given up in the middle of it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use sayso_turn::{Bot, BotError, Turn, activity::Activity, channel::Delivery};
use tokio::time::{Instant, sleep};

use crate::{
    claims::{Outside, arrived, millis, secs},
    world::{Fault, Step, World, append, invoke},
};

/// Calls that take their time, and what the turns do after them.
#[derive(Clone, Debug, Default)]
struct Slow {
    calls: Outside,
    after: Outside,
    takes: Duration,
    /// Number of calls that fail.
    fails: Arc<AtomicU32>,
}

impl Slow {
    fn new(takes: Duration) -> Self {
        Self { takes, ..Self::default() }
    }

    async fn pay(&self, turn: &Turn) -> Result<String, BotError> {
        let call = |key: sayso_turn::IdempotencyKey| async move {
            self.calls.note(key.as_str());
            sleep(self.takes).await;
            let fails = self
                .fails
                .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
            if fails.is_ok() { Err("down".into()) } else { Ok(format!("paid {key}")) }
        };
        turn.once("pay", call).await
    }

    async fn work(&self, turn: Turn) -> Result<(), BotError> {
        while let Err(error) = self.pay(&turn).await {
            self.after.note(error.to_string());
        }
        self.after.note("paid");
        append(turn).await
    }

    /// Bot that pays; `timer` has a timer's turn do so, `quick` is quick.
    fn bot(&self) -> Bot {
        let (slow, timed) = (self.clone(), self.clone());
        Bot::new()
            .on_message(move |mut turn: Turn| {
                let slow = slow.clone();
                async move {
                    match turn.text() {
                        "timer" => {
                            turn.after(secs(10), Activity::event("tick").with_text("tick"));
                            Ok(())
                        }
                        "quick" => append(turn).await,
                        _ => slow.work(turn).await,
                    }
                }
            })
            .on_event("tick", move |turn: Turn| {
                let timed = timed.clone();
                async move { timed.work(turn).await }
            })
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_under_way_is_made_once_though_the_acknowledging_write_fails() {
    let faults = [
        Fault::Conflict,
        Fault::Throttled(None),
        Fault::Throttled(Some(secs(2))),
        Fault::Unavailable,
        Fault::LostRequest,
        Fault::LostAnswer,
        Fault::Hang,
    ];
    for fault in faults {
        for (text, said) in [("long", "long"), ("timer", "tick")] {
            let (world, slow) = (World::new(), Slow::new(secs(20)));
            let instance = world.start(slow.bot());
            if text == "timer" {
                instance.say("1", text).await.unwrap();
                world.store.fail_saves([fault.clone()]);
            } else {
                world.store.fail_saves([fault.clone()]);
                if instance.say("1", text).await.is_err() {
                    instance.say("1", text).await.unwrap();
                }
            }
            assert_eq!(arrived(&world, 1, secs(300)).await, [said], "{fault:?}");
            sleep(secs(60)).await;
            let what = format!("{fault:?}, {text}");
            assert_eq!(slow.calls.calls().len(), 1, "{what}: {:?}", slow.calls.calls());
            assert_eq!(slow.after.calls(), ["paid"], "only one attempt goes on: {what}");
            assert_eq!((world.channel.texts().len(), world.log().await.len()), (1, 1), "{what}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_under_way_is_made_once_though_another_instance_commits_a_turn_meanwhile() {
    let (world, slow) = (World::new(), Slow::new(secs(20)));
    let instances = [world.start(slow.bot()), world.start(slow.bot())];
    let (pending, quick) = tokio::join!(instances[0].say("1", "long"), async {
        sleep(secs(4)).await;
        instances[1].say("2", "quick").await
    });
    assert!(pending.unwrap().is_pending && !quick.unwrap().is_pending);
    assert_eq!(arrived(&world, 2, secs(300)).await, ["quick", "quick long"]);
    assert_eq!(instances[0].engine.stats().attempts, 2, "the document changed: it began again");
    assert_eq!(slow.calls.calls().len(), 1, "{:?}", slow.calls.calls());
    assert_eq!(slow.after.calls(), ["paid"]);
}

#[tokio::test(start_paused = true)]
async fn a_call_under_way_is_made_once_though_an_urgent_chore_interrupts_its_turn() {
    let (world, slow) = (World::new(), Slow::new(secs(20)));
    let instance = world.start(slow.bot());
    // While a reply waits, its claim is renewed, and the renewal interrupts the turn that runs.
    let later = Delivery::Later { after: Some(secs(12)), reason: "busy".into() };
    world.channel.script([Step::Answer(later)]);
    instance.say("1", "quick").await.unwrap();
    world.store.fail_saves([Fault::Conflict]);
    let began = Instant::now();
    assert!(instance.say("2", "long").await.unwrap().is_pending);
    assert!(began.elapsed() < millis(7900), "it was interrupted: {:?}", began.elapsed());
    assert_eq!(instance.engine.stats().attempts, 3, "it began again");
    assert_eq!(arrived(&world, 2, secs(300)).await, ["quick", "quick long"]);
    assert_eq!(slow.calls.calls().len(), 1, "{:?}", slow.calls.calls());
}

#[tokio::test(start_paused = true)]
async fn a_call_under_way_at_the_deadline_is_not_made_again_when_its_invoke_is_sent_again() {
    let (world, slow) = (World::new(), Slow::new(secs(20)));
    let work = slow.clone();
    let bot = Bot::new().on_invoke("pay", move |turn: Turn| {
        let work = work.clone();
        async move { work.pay(&turn).await.map(drop) }
    });
    let instance = world.start(bot);
    assert!(instance.engine.receive(invoke("1", "pay")).await.is_err(), "it takes too long");
    instance.engine.receive(invoke("1", "pay")).await.unwrap();
    assert_eq!(slow.calls.calls().len(), 1, "{:?}", slow.calls.calls());
}

#[tokio::test(start_paused = true)]
async fn a_call_under_way_that_fails_is_made_again_by_the_attempt_that_waited_for_it() {
    let (world, slow) = (World::new(), Slow::new(secs(20)));
    let instance = world.start(slow.bot());
    slow.fails.store(1, Ordering::SeqCst);
    world.store.fail_saves([Fault::Conflict]);
    instance.say("1", "long").await.unwrap();
    assert_eq!(arrived(&world, 1, secs(300)).await, ["long"]);
    let calls = slow.calls.calls();
    assert_eq!(calls.len(), 2, "a failure is not kept");
    assert_eq!(calls[0], calls[1], "whoever is called can tell that it is the same call");
    assert_eq!(slow.after.calls(), ["paid"], "the attempt that was given up is told nothing");
}

#[tokio::test(start_paused = true)]
async fn the_error_handler_makes_its_calls_though_its_turn_was_stopped_in_one() {
    let (world, slow) = (World::new(), Slow::new(secs(20)));
    let (work, sorry) = (slow.clone(), Outside::default());
    let noted = sorry.clone();
    let bot = Bot::new()
        .on_invoke("pay", move |turn: Turn| {
            let work = work.clone();
            async move { work.pay(&turn).await.map(drop) }
        })
        .on_error(move |mut turn: Turn, _| {
            let noted = noted.clone();
            async move {
                let call = |key: sayso_turn::IdempotencyKey| async move {
                    noted.note(key.as_str());
                    Ok::<_, BotError>(())
                };
                turn.once("sorry", call).await?;
                turn.respond(503, "sorry")?;
                Ok(())
            }
        });
    let answer = world.start(bot).engine.receive(invoke("1", "pay")).await.unwrap();
    assert_eq!(answer.response.unwrap().status, 503);
    assert_eq!((sorry.calls().len(), slow.calls.calls().len()), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_task_of_an_attempt_that_was_given_up_ends_with_its_calls() {
    let (world, slow, held) = (World::new(), Slow::new(secs(20)), Arc::new(()));
    let (work, guard) = (slow.clone(), Arc::clone(&held));
    let instance = world.start(Bot::new().on_message(move |turn: Turn| {
        let (work, guard) = (work.clone(), Arc::clone(&guard));
        async move {
            let task = async move {
                let _guard = guard;
                let two = async { tokio::join!(work.pay(&turn), work.pay(&turn)) };
                drop(two.await);
                work.work(turn).await
            };
            tokio::spawn(task).await?
        }
    }));
    world.store.fail_saves([Fault::Conflict]);
    assert!(instance.say("1", "long").await.unwrap().is_pending);
    assert_eq!(arrived(&world, 1, secs(300)).await, ["long"]);
    sleep(secs(60)).await;
    assert_eq!(slow.calls.calls().len(), 3, "{:?}", slow.calls.calls());
    assert_eq!(slow.after.calls(), ["paid"], "only one attempt goes on");
    assert_eq!(instance.engine.stats().attempts, 2);
    assert_eq!(Arc::strong_count(&held), 2, "the test's and the handler's: no task is left");
}

#[tokio::test(start_paused = true)]
async fn a_call_under_way_in_a_long_turn_ends_when_its_instance_leaves_the_turn_to_another() {
    let (world, calls, held) = (World::new(), Outside::default(), Arc::new(()));
    let bot = |held: &Arc<()>| {
        let (held, calls) = (Arc::clone(held), calls.clone());
        Bot::new().on_message(move |turn: Turn| {
            let (held, calls) = (Arc::clone(&held), calls.clone());
            async move {
                let call = |key: sayso_turn::IdempotencyKey| async move {
                    let _held = held;
                    calls.note(key.as_str());
                    sleep(secs(60)).await;
                    Ok::<_, BotError>(())
                };
                turn.once("pay", call).await?;
                append(turn).await
            }
        })
    };
    let (first, _heir) = (world.start(bot(&held)), world.start(bot(&Arc::default())));
    assert!(first.say("1", "long").await.unwrap().is_pending);
    assert_eq!(Arc::strong_count(&held), 3);
    assert_eq!(first.engine.close(secs(5)).await, 0);
    assert_eq!(Arc::strong_count(&held), 2, "the test's and the handler's: no call is left");
    assert_eq!(arrived(&world, 1, secs(300)).await, ["long"]);
    let calls = calls.calls();
    assert_eq!((calls.len(), &calls[0]), (2, &calls[1]), "the heir's has the same key");
}

#[tokio::test(start_paused = true)]
async fn a_call_may_borrow_from_its_handler_and_fail_with_an_error_that_stays_on_its_thread() {
    let bot = Bot::new().on_message(async |turn: Turn| {
        let text = turn.text().to_owned();
        let call = |_| async {
            let is_bad = text == "bad";
            if is_bad { Err::<_, Box<dyn std::error::Error>>("bad".into()) } else { Ok(text.len()) }
        };
        assert_eq!(turn.once("length", call).await.map_err(|error| error.to_string()), Ok(4));
        append(turn).await
    });
    let world = World::new();
    world.start(bot).say("1", "good").await.unwrap();
    assert_eq!(world.log().await, ["good"]);
}
