//! Simulated users and their channel: they send activities at random times to any instance, once or
//! more, and again until they are answered.

mod said;

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures_util::future::{BoxFuture, Either, join, select};
use sayso_turn::{Answer, Engine, Error, Failure, Limits, Pace};
use tokio::sync::oneshot;

pub(crate) use self::said::{Said, Way, channel, keys, user_name};
use crate::{
    Fault, bot,
    executor::Owner,
    node::{Node, Nodes},
    outside::Outside,
    tenancy,
    world::World,
};

/// Timeout of a channel that waits for an answer.
const PATIENCE: Duration = Duration::from_secs(15);

/// Tolerance by which an answer may miss the deadline of its turn (P8).
const DEADLINE_SLACK: Duration = Duration::from_secs(1);

/// Maximum number of bursts: the last one begins while things still go wrong.
const BURSTS_MAX: usize = 8;

/// Counter of the clients that have their answer.
#[derive(Debug, Default)]
pub(crate) struct Done(AtomicUsize);

impl Done {
    pub(crate) fn add(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }

    pub(crate) fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

/// Sends one activity until it is answered, and sometimes once more.
pub(crate) async fn send(world: Arc<World>, nodes: Arc<Nodes>, said: Said, done: Arc<Done>) {
    if matches!(said.way, Way::Along) {
        return done.add();
    }
    until_answered(&world, &nodes, &said).await;
    again(&world, &nodes, &said).await;
    done.add();
}

/// Sends activities one after the other, each when the one before was answered. A redelivery may
/// overtake what comes next.
pub(crate) async fn send_in_order(
    world: Arc<World>,
    nodes: Arc<Nodes>,
    all: Vec<Said>,
    done: Arc<Done>,
) {
    for said in all {
        until_answered(&world, &nodes, &said).await;
        let (own, nodes, done) = (Arc::clone(&world), Arc::clone(&nodes), Arc::clone(&done));
        let again = async move {
            again(&own, &nodes, &said).await;
            done.add();
        };
        world.executor.spawn(Owner::World, Box::pin(again));
    }
}

/// Sends one activity at its time until it is answered.
async fn until_answered(world: &Arc<World>, nodes: &Nodes, said: &Said) {
    let chance = &world.chance;
    wait_for_its_time(world).await;
    loop {
        let first = deliver(world, nodes, said);
        let is_answered = if chance.fires(Fault::Duplicate) {
            let both = join(first, deliver(world, nodes, said)).await;
            both.0 || both.1
        } else {
            first.await
        };
        if is_answered {
            return;
        }
        world.executor.sleep(chance.up_to(Duration::from_millis(3000))).await;
    }
}

/// Sends it once more, sometimes.
async fn again(world: &Arc<World>, nodes: &Nodes, said: &Said) {
    if world.chance.fires(Fault::Redelivery) {
        world.executor.sleep(world.chance.up_to(Duration::from_secs(30))).await;
        deliver(world, nodes, said).await;
    }
}

/// Waits until the activity is to be sent: a random time, within bursts where the plan has them.
async fn wait_for_its_time(world: &World) {
    let (plan, chance) = (&world.plan, &world.chance);
    let nap = |most: u64| world.executor.sleep(chance.up_to(Duration::from_millis(most)));
    if [Fault::Crowd, Fault::Burst, Fault::Hot].iter().any(|fault| plan.has(*fault)) {
        nap(100).await;
    } else if plan.in_bursts {
        let bursts = plan.activities.div_ceil(2).min(BURSTS_MAX);
        world.executor.sleep(Limits::default().claim * chance.below(bursts) as u32).await;
        nap(200).await;
    } else if plan.has(Fault::ShortLived) {
        // So that some come back when they are forgotten.
        nap(if chance.one_in(2) { 50 } else { 100_000 }).await;
    } else {
        nap(if chance.one_in(2) { 50 } else { 20_000 }).await;
    }
}

/// Delivers once, to any instance. Returns `true` if it was answered well.
async fn deliver(world: &Arc<World>, nodes: &Nodes, said: &Said) -> bool {
    let is_first = world.plan.has(Fault::Crowd) && !nodes.is_restarted();
    let place =
        if is_first || world.plan.has(Fault::Hot) { 0 } else { world.chance.below(nodes.count()) };
    let place = tenancy::place_of(&world.plan, said.bot, place, nodes.count());
    deliver_to(world, nodes, said, place).await
}

/// Result that the sender of a turn hears: one answer for each conversation.
type Heard = Result<Vec<Answer>, Error>;

/// Delivers once, to the instance at a place. Returns `true` if it was answered well.
pub(crate) async fn deliver_to(
    world: &Arc<World>,
    nodes: &Nodes,
    said: &Said,
    place: usize,
) -> bool {
    let Some(Node { life, engine, outside, .. }) = nodes.get(place) else { return false };
    world.tell(|| format!("user: {} goes to instance {life}", said.id));
    world.costs().cause(world.executor.now(), life);
    if said.wish.reset && !world.history().before_reset.contains_key(&said.id) {
        let before = bot::since_reset(&world.document(&said.key).bag);
        world.history().before_reset.insert(said.id.clone(), before);
    }
    let (sender, receiver) = oneshot::channel();
    let turn = hand_in(engine, outside, said.clone());
    let handler = async move {
        drop(sender.send(turn.await));
    };
    world.executor.spawn(Owner::Instance(life), Box::pin(handler));
    let hangs_up = world.chance.fires(Fault::HangUp);
    let patience = match hangs_up {
        true => world.chance.up_to(Duration::from_millis(20)),
        false => PATIENCE,
    };
    let began = world.executor.now();
    let heard = select(receiver, world.executor.sleep(patience)).await;
    // A broadcast tries again by itself.
    if !hangs_up && !matches!(said.way, Way::Broadcast(_)) {
        in_time(world, said, life, began);
    }
    match heard {
        Either::Left((Ok(Ok(answers)), _)) => {
            for answer in answers {
                answered(world, said, &answer, life);
            }
            true
        }
        Either::Left((Ok(Err(error)), _)) => {
            world.tell(|| format!("instance {life}: {} fails: {error}", said.id));
            if said.wish.oversized && matches!(error, Error::Store(_)) {
                return world.weather().is_fine_for(&said.key);
            }
            if !is_expected(world, &error) {
                world.violation(format!("I1: {} is refused for good: {error}", said.id));
            }
            false
        }
        Either::Left((Err(_), _)) | Either::Right(_) => {
            world.tell(|| format!("user: no answer for {} from instance {life}", said.id));
            false
        }
    }
}

/// Gives an instance what is said, in the way it goes.
fn hand_in(engine: Engine, outside: Outside, said: Said) -> BoxFuture<'static, Heard> {
    let reference = said.reference();
    let Said { activity, way, id, wish, .. } = said;
    if matches!(way, Way::Receive) {
        return Box::pin(async move { Ok(vec![engine.receive(activity).await?]) });
    }
    let handler = move |turn| bot::fulfil(turn, outside.clone(), vec![wish.clone()]);
    Box::pin(async move {
        let Way::Broadcast(references) = way else {
            return Ok(vec![engine.resume(&reference, &id, handler).await?]);
        };
        let pace = Pace { per_second: 100, ..Pace::default() };
        let report = engine.broadcast(references, &id, pace, handler).await;
        match report.failed.into_iter().next() {
            Some((_, error)) => Err(error),
            None => Ok(Vec::new()),
        }
    })
}

/// P8: whoever asks is answered in time, unless the instance is gone or does not run.
fn in_time(world: &World, said: &Said, life: usize, began: Duration) {
    let took = world.executor.now().saturating_sub(began);
    let most = world.plan.limits().deadline + DEADLINE_SLACK;
    let owner = Owner::Instance(life);
    let is_excused = || {
        let executor = &world.executor;
        executor.is_dead(owner)
            || executor.is_frozen(owner)
            || world.seen().disturbed.get(&life).is_some_and(|at| *at >= began)
    };
    if took > most && !is_excused() {
        world.violation(format!("P8: {} waits {took:?} at instance {life}", said.id));
    }
}

/// Reports whether an error is one that the sender had to expect in this world.
fn is_expected(world: &World, error: &Error) -> bool {
    // The bot has an error handler: only a handler that ran out of time is told to the sender.
    let is_late = |failure: &Failure| matches!(failure, Failure::Timeout(_));
    match error {
        // Replies that wait may leave no room, not even for an apology.
        Error::Failed(failure) if matches!(**failure, Failure::Limit { .. }) => {
            world.plan.has(Fault::Bulk) || world.plan.has(Fault::FewTimers) || !world.plan.is_exact
        }
        Error::Failed(failure) => is_late(failure) || !world.plan.is_exact,
        Error::Store(_) => world.plan.has(Fault::StoreRefuses),
        other => other.is_retryable(),
    }
}

/// Checks an answer that was heard: it must be stored already (I3), and the same as any before
/// (P4).
fn answered(world: &World, said: &Said, answer: &Answer, life: usize) {
    world.tell(|| format!("instance {life}: {} is answered", said.id));
    let ledger = world.document(&said.key).ledger;
    let is_accepted = answer.is_pending && ledger.is_accepted(said.turn());
    // Its document may have expired while the answer was on its way.
    let is_kept = !world.plan.has(Fault::ShortLived);
    // An answer is kept as long as there is room.
    let is_recorded = is_kept && !world.plan.has(Fault::Bulk) && !world.plan.has(Fault::Burst);
    if is_kept && !is_accepted && !ledger.seen.contains(said.turn()) {
        world.violation(format!("I3: {} is answered and not stored", said.id));
    }
    if said.wish.reset && !answer.is_pending {
        is_reset(world, said);
    }
    let replies: Vec<&str> = answer.replies.iter().map(sayso_activity::Raw::as_str).collect();
    let heard = format!("{replies:?} {:?}", answer.response);
    let mut seen = world.seen();
    let known = seen.acked.entry(said.id.clone()).or_insert_with(|| heard.clone());
    if is_recorded && *known != heard {
        let what = format!("P4: {} got two answers: {known} and {heard}", said.id);
        drop(seen);
        world.violation(what);
    }
}

/// P1: nothing of what the second log had before a reset was sent is in it once that is answered.
fn is_reset(world: &World, said: &Said) {
    let now = bot::since_reset(&world.document(&said.key).bag);
    let before = world.history().before_reset.get(&said.id).cloned().unwrap_or_default();
    if let Some(id) = now.iter().find(|id| before.contains(id)) {
        world.violation(format!("P1: {} has reset the state, and {id} is still in it", said.id));
    }
}
