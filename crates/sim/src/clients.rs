//! The users and their channel: activities that come when they like, to any instance, once or more, and
//! again until they are answered.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures_util::future::{Either, join, select};
use sayso_activity::{Account, Activity, ConversationAccount, Kind};
use sayso_turn::{Answer, Error, Failure, Key, Limits, id::TurnId};
use tokio::sync::oneshot;

use crate::{
    Fault,
    bot::Wish,
    executor::Owner,
    node::{Node, Nodes},
    world::World,
};

/// A channel gives up waiting for an answer after this.
const PATIENCE: Duration = Duration::from_secs(15);

/// How many bursts there are at most: the last one begins while things still go wrong.
const BURSTS_MAX: usize = 8;

/// One thing a user says.
#[derive(Clone, Debug)]
pub(crate) struct Said {
    pub(crate) id: String,
    pub(crate) key: Key,
    pub(crate) activity: Activity,
    pub(crate) wish: Wish,
    pub(crate) is_answer: bool,
}

impl Said {
    /// Draws what the n-th activity of a run is.
    pub(crate) fn draw(world: &World, n: usize) -> Self {
        let chance = &world.chance;
        let conversation = format!("c{}", chance.below(world.plan.conversations));
        let panic = chance.fires(Fault::Panic);
        let mut wish = Wish {
            replies: chance.below(3),
            panic,
            oversized: !panic && chance.fires(Fault::Oversized),
            timer_ms: chance.fires(Fault::Timer).then(|| chance.below(5000) as u64),
            user: chance.fires(Fault::Documents),
            slow_ms: chance.fires(Fault::Long).then(|| 5000 + chance.below(25_000) as u64),
            change: chance.fires(Fault::Change),
            delete: chance.one_in(4),
        };
        let activity = match chance.below(6) {
            0 => Activity { name: Some("append".into()), ..Activity::new(Kind::Invoke) },
            1 => Activity::event("append"),
            _ => Activity::message(""),
        };
        let is_answer = activity.kind == Kind::Message && chance.one_in(4);
        if is_answer || activity.kind == Kind::Invoke {
            // Its sender waits for what the turn makes, so it has to end in time.
            wish.slow_ms = None;
        }
        Self::new(n, &conversation, activity, wish, is_answer)
    }

    /// An activity of a given kind, in one conversation, that does a bit of everything.
    pub(crate) fn fixed(kind: Kind, n: usize) -> Self {
        let wish = Wish { replies: 2, timer_ms: Some(100), user: true, ..Wish::default() };
        let is_answer = kind == Kind::Trace;
        let kind = if is_answer { Kind::Message } else { kind };
        Self::new(
            n,
            "c0",
            Activity { name: Some("append".into()), ..Activity::new(kind) },
            wish,
            is_answer,
        )
    }

    /// What somebody says to a bot of anybody's.
    pub(crate) fn text(n: usize, user: usize, text: &str) -> Self {
        let name = user_name(user);
        let mut said = Self::new(n, &name, Activity::message(text), Wish::default(), false);
        // A name that reads well in a time line.
        said.id = format!("{text}#{n}");
        said.activity.id = Some(said.id.clone());
        said.activity.value = None;
        said.activity.from = Some(Account::new(name));
        said
    }

    fn new(n: usize, conversation: &str, activity: Activity, wish: Wish, is_answer: bool) -> Self {
        let id = format!("a{n}");
        let key = Key::conversation("sim", conversation).expect("a short key");
        let mut activity = activity.with_value(&wish).expect("a wish is JSON");
        activity.id = Some(id.clone());
        activity.channel_id = Some("sim".to_owned());
        activity.service_url = Some("http://sim/".to_owned());
        activity.conversation = Some(ConversationAccount::new(conversation));
        activity.from = Some(Account::new("u"));
        activity.recipient = Some(Account::new("bot"));
        activity.delivery_mode = is_answer.then(|| "expectReplies".to_owned());
        Self { id, key, activity, wish, is_answer }
    }

    /// The key of the state of whoever says it.
    pub(crate) fn user_key(&self) -> Option<Key> {
        let from = self.activity.from.as_ref()?.id.as_deref()?;
        Key::user("sim", from).ok()
    }

    fn turn(&self) -> TurnId {
        TurnId::new(&self.key, &self.id)
    }
}

/// What a user is called; so is the conversation.
pub(crate) fn user_name(user: usize) -> String {
    format!("user{user}")
}

/// How many clients have their answer.
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
    let chance = &world.chance;
    let nap = |most: u64| world.executor.sleep(chance.up_to(Duration::from_millis(most)));
    if world.plan.in_bursts {
        let bursts = world.plan.activities.div_ceil(2).min(BURSTS_MAX);
        world.executor.sleep(Limits::default().claim * chance.below(bursts) as u32).await;
        nap(200).await;
    } else {
        nap(if chance.one_in(2) { 50 } else { 20_000 }).await;
    }
    loop {
        let first = deliver(&world, &nodes, &said);
        let is_answered = if chance.fires(Fault::Duplicate) {
            let both = join(first, deliver(&world, &nodes, &said)).await;
            both.0 || both.1
        } else {
            first.await
        };
        if is_answered {
            break;
        }
        nap(3000).await;
    }
    if chance.fires(Fault::Redelivery) {
        nap(30_000).await;
        deliver(&world, &nodes, &said).await;
    }
    done.add();
}

/// Delivers once, to any instance. Whether it was answered well.
async fn deliver(world: &Arc<World>, nodes: &Nodes, said: &Said) -> bool {
    deliver_to(world, nodes, said, world.chance.below(nodes.count())).await
}

/// Delivers once, to the instance at a place.
pub(crate) async fn deliver_to(
    world: &Arc<World>,
    nodes: &Nodes,
    said: &Said,
    place: usize,
) -> bool {
    let Some(Node { life, engine, .. }) = nodes.get(place) else { return false };
    world.tell(|| format!("user: {} goes to instance {life}", said.id));
    let (sender, receiver) = oneshot::channel();
    let activity = said.activity.clone();
    let handler = async move {
        drop(sender.send(engine.receive(activity).await));
    };
    world.executor.spawn(Owner::Instance(life), Box::pin(handler));
    let patience = if world.chance.fires(Fault::HangUp) {
        world.chance.up_to(Duration::from_millis(20))
    } else {
        PATIENCE
    };
    match select(receiver, world.executor.sleep(patience)).await {
        Either::Left((Ok(Ok(answer)), _)) => {
            answered(world, said, &answer, life);
            true
        }
        Either::Left((Ok(Err(error)), _)) => {
            world.tell(|| format!("instance {life}: {} fails: {error}", said.id));
            if said.wish.oversized && matches!(error, Error::Store(_)) {
                return true;
            }
            // The bot has an error handler: only a handler that ran out of time is told to the sender.
            let is_late = |failure: &Failure| matches!(failure, Failure::Timeout(_));
            let is_expected = match &error {
                Error::Failed(failure) => is_late(failure) || !world.plan.is_exact,
                other => other.is_retryable(),
            };
            if !is_expected {
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

/// An answer is heard: it must be stored already (I3), and the same as any before (P4).
fn answered(world: &World, said: &Said, answer: &Answer, life: usize) {
    world.tell(|| format!("instance {life}: {} is answered", said.id));
    let ledger = world.document(&said.key).ledger;
    let is_accepted = answer.is_pending && ledger.is_accepted(said.turn());
    if !is_accepted && !ledger.seen.contains(said.turn()) {
        world.violation(format!("I3: {} is answered and not stored", said.id));
    }
    let replies: Vec<&str> = answer.replies.iter().map(sayso_activity::Raw::as_str).collect();
    let heard = format!("{replies:?} {:?}", answer.response);
    let mut seen = world.seen();
    let known = seen.acked.entry(said.id.clone()).or_insert_with(|| heard.clone());
    if *known != heard {
        let what = format!("P4: {} got two answers: {known} and {heard}", said.id);
        drop(seen);
        world.violation(what);
    }
}
