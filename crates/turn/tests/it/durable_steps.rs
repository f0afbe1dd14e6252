//! Durable steps: a finished call is never made again, whichever instance goes on with the turn.

mod limits;
mod recovery;
mod tries;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use sayso_turn::{Bot, BotError, Turn, document::Ledger};
use tokio::time::sleep;

use crate::world::{Fault, World, append, asking, invoke};

fn secs(count: u64) -> Duration {
    Duration::from_secs(count)
}

/// The service outside: counts the calls it gets, and what it answers is another thing each time.
#[derive(Clone, Debug, Default)]
struct Service(Arc<Mutex<Calls>>);

#[derive(Debug, Default)]
struct Calls {
    /// Idempotency keys, in the order of the calls.
    begun: Vec<String>,
    /// Number of calls to come that fail, by name of the step.
    failing: BTreeMap<&'static str, u32>,
    /// Duration of the calls of a step.
    takes: BTreeMap<&'static str, Duration>,
}

impl Service {
    /// A call: gives the number of it.
    async fn call(&self, step: &'static str, key: String) -> Result<usize, BotError> {
        let (number, takes, fails) = {
            let mut calls = self.0.lock().unwrap();
            calls.begun.push(key);
            let failing = calls.failing.entry(step).or_default();
            let fails = *failing > 0;
            *failing = failing.saturating_sub(1);
            (calls.begun.len(), calls.takes.get(step).copied(), fails)
        };
        if let Some(takes) = takes {
            sleep(takes).await;
        }
        if fails { Err("the service is down".into()) } else { Ok(number) }
    }

    /// Names of the steps that were called, in order, without the turn in their keys.
    fn called(&self) -> Vec<String> {
        let step = |key: &String| match key.split_once('#') {
            Some((_, numbered)) => format!("#{numbered}"),
            None => key.split_once('.').map(|(_, name)| name.to_owned()).unwrap_or_default(),
        };
        self.0.lock().unwrap().begun.iter().map(step).collect()
    }

    fn keys(&self) -> Vec<String> {
        self.0.lock().unwrap().begun.clone()
    }

    fn fail(&self, step: &'static str, times: u32) {
        self.0.lock().unwrap().failing.insert(step, times);
    }

    fn take(&self, step: &'static str, time: Duration) {
        self.0.lock().unwrap().takes.insert(step, time);
    }
}

const STEPS: [&str; 3] = ["reserve", "charge", "ship"];

/// Takes three steps, one after the other; the log gets their results.
async fn buy(mut turn: Turn, service: Service) -> Result<(), BotError> {
    let mut line = Vec::new();
    for name in STEPS {
        let service = &service;
        let call = |key: sayso_turn::IdempotencyKey| service.call(name, key.to_string());
        let number: usize = turn.step(name, call).await?;
        line.push(format!("{name} {number}"));
    }
    let line = line.join(", ");
    turn.state().named::<Vec<String>>("log")?.push(line.clone());
    turn.say(line);
    if turn.activity().kind == sayso_turn::activity::Kind::Invoke {
        turn.respond(200, "bought")?;
    }
    Ok(())
}

fn bot(service: &Service) -> Bot {
    let (first, second, third) = (service.clone(), service.clone(), service.clone());
    Bot::new()
        .on_message(move |turn: Turn| {
            let service = first.clone();
            async move {
                match turn.text() {
                    "buy" => buy(turn, service).await,
                    _ => append(turn).await,
                }
            }
        })
        .on_invoke("buy", move |turn: Turn| buy(turn, second.clone()))
        .on_event("buy", move |turn: Turn| buy(turn, third.clone()))
}

async fn until(world: &World, what: impl Fn(&Ledger) -> bool + Send + Sync) {
    for _ in 0..20_000 {
        if what(&world.ledger().await) {
            return;
        }
        sleep(Duration::from_millis(50)).await;
    }
    panic!("it did not come to that: {:?}", world.ledger().await);
}

async fn ended(world: &World) {
    until(world, |ledger| ledger.turn > 0 && ledger.inbox.is_empty() && ledger.outbox.is_empty())
        .await;
}

/// Number of results that the stored document has.
fn saved(ledger: &Ledger) -> usize {
    ledger.steps.iter().map(|steps| steps.done.len()).sum()
}

const BOUGHT: &str = "reserve 1, charge 2, ship 3";

#[tokio::test(start_paused = true)]
async fn each_step_is_one_save_and_leaves_with_the_commit_of_its_turn() {
    let (world, service) = (World::new(), Service::default());
    let instance = world.start(bot(&service));
    STEPS.iter().for_each(|step| service.take(step, secs(1)));
    let answer = instance.say("1", "buy").await.unwrap();
    assert!(answer.is_pending && !answer.is_repeat, "{answer:?}");
    let ledger = world.ledger().await;
    assert_eq!((ledger.inbox.len(), saved(&ledger)), (1, 0), "durable before the first call ends");
    for count in 0..STEPS.len() {
        until(&world, |ledger| saved(ledger) == count).await;
    }
    ended(&world).await;
    assert_eq!(service.called(), STEPS);
    assert_eq!(
        (world.log().await, world.channel.texts()),
        (vec![BOUGHT.into()], vec![BOUGHT.into()])
    );
    let stats = instance.engine.stats();
    assert_eq!((stats.steps, stats.attempts, stats.turns, stats.accepted), (3, 1, 1, 1));
    let ledger = world.ledger().await;
    assert!(ledger.steps.is_empty() && ledger.claim.is_none(), "{ledger:?}");
    // The acknowledgement, three steps, the commit, and the record of the reply.
    assert_eq!(ledger.rev, 6);
}

#[tokio::test(start_paused = true)]
async fn steps_of_one_name_are_numbered_and_have_keys_of_their_own() {
    let (world, service) = (World::new(), Service::default());
    let called = service.clone();
    let instance = world.start(Bot::new().on_message(move |mut turn: Turn| {
        let service = called.clone();
        async move {
            let service = &service;
            let mut results = Vec::new();
            for _ in 0..3 {
                let call = |key: sayso_turn::IdempotencyKey| service.call("pay", key.to_string());
                results.push(turn.step("pay", call).await?);
            }
            turn.say(format!("{results:?}"));
            Ok(())
        }
    }));
    instance.say("1", "x").await.unwrap();
    ended(&world).await;
    assert_eq!(service.called(), ["pay", "#2.pay", "#3.pay"]);
    assert_eq!(world.channel.texts(), ["[1, 2, 3]"]);
}

#[tokio::test(start_paused = true)]
async fn whoever_waits_for_the_answer_gets_it_and_a_redelivery_gets_the_same() {
    let (world, service) = (World::new(), Service::default());
    let instance = world.start(bot(&service));
    service.take("charge", secs(2));
    let answer = instance.engine.receive(invoke("1", "buy")).await.unwrap();
    assert!(!answer.is_repeat && !answer.is_pending, "{answer:?}");
    assert_eq!(answer.response.as_ref().unwrap().status, 200);
    let again = instance.engine.receive(invoke("1", "buy")).await.unwrap();
    assert!(again.is_repeat && again.response == answer.response, "{again:?}");
    let answer = instance.engine.receive(asking("2", "buy")).await.unwrap();
    assert_eq!(answer.replies.len(), 1);
    assert_eq!(instance.engine.receive(asking("2", "buy")).await.unwrap().replies, answer.replies);
    assert_eq!(service.called().len(), 6);
    assert_eq!(world.ledger().await.parked.len(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_redelivery_waits_for_the_run_that_its_sender_gave_up() {
    let (world, service) = (World::new(), Service::default());
    let first = world.start(bot(&service));
    let second = world.start(bot(&service));
    service.take("charge", secs(20));
    let error = first.engine.receive(invoke("1", "buy")).await.unwrap_err();
    assert!(error.is_retryable(), "{error}");
    let answer = second.engine.receive(invoke("1", "buy")).await.unwrap();
    assert!(answer.is_repeat && answer.response.is_some(), "{answer:?}");
    assert_eq!(service.called(), STEPS);
}

#[tokio::test(start_paused = true)]
async fn what_arrives_meanwhile_waits_in_line() {
    let (world, service) = (World::new(), Service::default());
    let (first, second) = (world.start(bot(&service)), world.start(bot(&service)));
    service.take("charge", secs(5));
    first.say("1", "buy").await.unwrap();
    assert!(second.say("2", "b").await.unwrap().is_pending);
    assert!(first.say("3", "c").await.unwrap().is_pending);
    ended(&world).await;
    assert_eq!(world.log().await, [BOUGHT, "b", "c"]);
    assert_eq!(service.called(), STEPS);
}

#[tokio::test(start_paused = true)]
async fn a_turn_without_steps_has_no_trace_of_them() {
    let (world, service) = (World::new(), Service::default());
    let instance = world.start(bot(&service));
    world.store.fail_saves([Fault::Conflict]);
    assert!(!instance.say("1", "a").await.unwrap().is_pending);
    ended(&world).await;
    let text = world.document().await.unwrap().to_json();
    assert!(!text.contains("steps"), "{text}");
}
