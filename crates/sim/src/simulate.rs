//! Simulation tests for authors of bots: their own bot in the same world, with every fault on, in
//! an ordinary test.

mod failed;

use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    thread,
};

use sayso_turn::{
    Bag, Engine, Key, Logic,
    store::{MemoryStore, Store},
};

use self::failed::Failed;
use crate::{
    Fault, Plan, Services,
    clients::{self, Said, user_name},
    executor::{Executor, Owner, TokioTime},
    node::Nodes,
    outside::Outside,
    panics,
    run::{stage, stage_with},
    world::World,
};

/// Most times that a failing run is made simpler.
const SHRINKS_MAX: usize = 200;

/// Simulates a bot: users who say things to many instances while everything goes wrong.
///
/// The bot is made anew for each life of each instance, as a process would make it. Its handlers
/// may wait by `tokio::time`, on simulated time. What they start with `tokio::spawn` runs only
/// while time passes, and does not die with its instance.
///
/// # Example
/// ```
/// use sayso_sim::simulate;
/// use sayso_turn::{Bot, Turn};
///
/// let bot = || Bot::new().on_message(async |mut turn: Turn| {
///     let text = turn.text().to_owned();
///     let toppings = turn.state().named::<Vec<String>>("toppings")?;
///     toppings.push(text);
///     let line = toppings.join(" and ");
///     turn.say(line);
///     Ok(())
/// });
/// simulate(bot).users(2).script(["ham", "olives"]).instances(2).seeds(50).check(|world| {
///     for user in 0..2 {
///         let toppings: Vec<String> = world.state(user, "toppings").unwrap();
///         assert_eq!(toppings.len(), 2);
///         assert!(world.replies(user).contains(&toppings.join(" and ")));
///     }
/// });
/// ```
pub fn simulate<L: Logic, F: Fn() -> L + Send + Sync + 'static>(bot: F) -> Simulation {
    simulate_with(move |_| bot())
}

/// Simulates a bot that calls services outside: the closure gets fake ones to make it with.
///
/// See [`Services`] for an example.
pub fn simulate_with<L, F>(bot: F) -> Simulation
where
    L: Logic,
    F: Fn(Services) -> L + Send + Sync + 'static,
{
    let start = move |outside: &Outside, store, channel| {
        let store: Arc<dyn Store> = Arc::new(store);
        Engine::builder(bot(Services::new(outside)), store, Arc::new(channel))
    };
    Simulation {
        start: Arc::new(start),
        users: 1,
        script: Vec::new(),
        is_ordered: false,
        services_fail: false,
        instances: 2,
        seeds: 1000,
        first: 0,
    }
}

/// Builder of a simulation; [`check`](Self::check) runs it.
#[must_use = "a simulation does nothing before `check`"]
pub struct Simulation {
    start: crate::node::Start,
    users: usize,
    script: Vec<String>,
    is_ordered: bool,
    services_fail: bool,
    instances: usize,
    seeds: u64,
    first: u64,
}

/// The world at rest after a run, for a check to inspect.
#[derive(Debug)]
pub struct Outcome {
    world: Arc<World>,
}

impl Simulation {
    /// Sets the number of users, each with a conversation of their own.
    pub fn users(mut self, users: usize) -> Self {
        self.users = users;
        self
    }

    /// Sets the messages of each user: all are sent quickly, in no particular order, again until
    /// they are answered.
    pub fn script<T: Into<String>>(mut self, lines: impl IntoIterator<Item = T>) -> Self {
        self.script = lines.into_iter().map(Into::into).collect();
        self.is_ordered = false;
        self
    }

    /// Sets the messages of each user, said in order, as a person answers questions: each is sent,
    /// again and again, until it was answered, and then the next one. Redeliveries of an earlier
    /// one may come in between.
    ///
    /// # Example
    /// ```
    /// use sayso_sim::simulate;
    /// use sayso_turn::{Bot, Turn};
    ///
    /// let bot = || Bot::new().on_message(async |mut turn: Turn| {
    ///     let text = turn.text().to_owned();
    ///     let size = turn.state().named::<Option<String>>("size")?;
    ///     let line = match size {
    ///         None => {
    ///             *size = Some(text);
    ///             "Which topping?".to_owned()
    ///         }
    ///         Some(size) => format!("A {size} pizza with {text}."),
    ///     };
    ///     turn.say(line);
    ///     Ok(())
    /// });
    /// simulate(bot).conversation(["large", "ham"]).seeds(50).check(|world| {
    ///     assert_eq!(world.replies(0), ["Which topping?", "A large pizza with ham."]);
    /// });
    /// ```
    pub fn conversation<T: Into<String>>(self, lines: impl IntoIterator<Item = T>) -> Self {
        Self { is_ordered: true, ..self.script(lines) }
    }

    /// Lets calls of [`Services`] fail while there is trouble. A bot that gives up at once would
    /// fail for good in a turn that was acknowledged already, so it needs retries of its own.
    pub fn failing_services(mut self) -> Self {
        self.services_fail = true;
        self
    }

    /// Sets the number of instances that run at a time.
    pub fn instances(mut self, instances: usize) -> Self {
        self.instances = instances.max(1);
        self
    }

    /// Sets the number of seeds to play.
    pub fn seeds(mut self, seeds: u64) -> Self {
        self.seeds = seeds;
        self
    }

    /// Plays one seed only, to look at it again.
    pub fn seed(mut self, seed: u64) -> Self {
        (self.first, self.seeds) = (seed, 1);
        self
    }

    /// Plays every seed and checks the world at rest after each: panic in the closure to object.
    ///
    /// # Panics
    /// When a check fails: the run is made as simple as it can be and still fail, and its time line
    /// is printed, with the seed that replays it. Panics on the way there are not.
    #[expect(clippy::panic, reason = "this is how a test fails")]
    pub fn check(self, check: impl Fn(&Outcome)) {
        for seed in self.first..self.first + self.seeds {
            let plan = self.plan(seed);
            if self.play(&plan, &check, false).is_ok() {
                continue;
            }
            let mut smallest = plan;
            for _ in 0..SHRINKS_MAX {
                let fails = |plan: &Plan| self.play(plan, &check, false).is_err();
                match smallest.simpler().into_iter().find(fails) {
                    Some(simpler) => smallest = simpler,
                    None => break,
                }
            }
            let failed = self.play(&smallest, &check, true).err().unwrap_or_default();
            panic!("{}", failed.report(seed, &smallest));
        }
    }

    fn plan(&self, seed: u64) -> Plan {
        let mut plan = Plan::draw(seed);
        // Wishes are for our own bot.
        plan.faults.retain(|fault, _| !fault.is_wish() && !is_of_our_own(*fault));
        plan.ttl = plan.ttl.map(|_| Plan::TTL);
        let activities = self.users * self.script.len();
        Plan { instances: self.instances, conversations: 1, activities, is_exact: false, ..plan }
    }

    /// One run.
    fn play(&self, plan: &Plan, check: &impl Fn(&Outcome), is_told: bool) -> Result<(), Failed> {
        let executor = Executor::new(plan.seed);
        let store = Arc::new(MemoryStore::default());
        let world = World::new(plan, &executor, store, is_told);
        // On a thread of its own, since the test may have a runtime already.
        let heard = thread::scope(|scope| scope.spawn(|| self.run(&world)).join());
        let outcome = Outcome { world: Arc::clone(&world) };
        let broken = std::mem::take(&mut world.seen().violations);
        panics::listen();
        let objection = catch_unwind(AssertUnwindSafe(|| check(&outcome)));
        let objections = panics::end();
        let what = match objection {
            Ok(()) => broken.into_iter().next(),
            // A panic that was resumed has told nobody.
            Err(_) => {
                Some(objections.first().cloned().unwrap_or_else(|| "the check failed".into()))
            }
        };
        let Some(what) = what else { return Ok(()) };
        let timeline = world.seen().timeline.take().unwrap_or_default();
        Err(Failed { what, of_bot: heard.unwrap_or_default(), timeline })
    }

    /// Plays until rest, and returns the panics of the bot.
    fn run(&self, world: &Arc<World>) -> Vec<String> {
        let executor = &world.executor;
        world.let_services_fail(self.services_fail);
        panics::listen();
        executor.use_tokio(Some(Arc::new(TokioTime::new())));
        let nodes = Nodes::new(world, Arc::clone(&self.start));
        let lines =
            (0..self.users).flat_map(|user| self.script.iter().map(move |text| (user, text)));
        let all: Vec<Said> =
            lines.enumerate().map(|(n, (user, text))| Said::text(world, n, user, text)).collect();
        if self.is_ordered {
            stage_with(world, &nodes, &all, |done| {
                for lines in all.chunks(self.script.len().max(1)) {
                    let (own, nodes) = (Arc::clone(world), Arc::clone(&nodes));
                    let user = clients::send_in_order(own, nodes, lines.to_vec(), Arc::clone(done));
                    executor.spawn(Owner::World, Box::pin(user));
                }
            });
        } else {
            stage(world, &nodes, &all);
        }
        drop(nodes);
        executor.end();
        executor.use_tokio(None);
        panics::end()
    }
}

/// Reports whether the check of any bot would have to allow for the fault. A reply that the channel
/// refuses for good is parked, a turn that the store refuses for good fails, what expires is gone,
/// and so on: no fault of the bot's.
fn is_of_our_own(fault: Fault) -> bool {
    matches!(
        fault,
        Fault::Refused
            | Fault::StoreRefuses
            | Fault::ShortLived
            | Fault::YearAhead
            | Fault::Crowd
            | Fault::Burst
            | Fault::Hot
            | Fault::FewTimers
            | Fault::Unreadable
    )
}

impl Outcome {
    /// A property of a user's conversation.
    #[must_use]
    pub fn state<T: serde::de::DeserializeOwned>(&self, user: usize, name: &str) -> Option<T> {
        self.bag(user).get(name).ok().flatten()
    }

    /// All properties of a user's conversation.
    #[must_use]
    pub fn bag(&self, user: usize) -> Bag {
        self.world.document(&key(user)).bag
    }

    /// Number of effects of a fake service: calls that were made, each idempotency key once. See
    /// [`Services`].
    #[must_use]
    pub fn effects(&self, service: &str) -> usize {
        self.world.services().get(service).map_or(0, |service| service.effects.len())
    }

    /// Number of calls that reached a fake service, repeated ones too.
    #[must_use]
    pub fn calls(&self, service: &str) -> usize {
        self.world.services().get(service).map_or(0, |service| service.calls)
    }

    /// Replies that a user saw, in the order of arrival, each once however often it came.
    #[must_use]
    pub fn replies(&self, user: usize) -> Vec<String> {
        let seen = self.world.seen();
        let all = seen.visible.get(&key(user)).map(Vec::as_slice).unwrap_or_default();
        let mut known = std::collections::BTreeSet::new();
        all.iter().filter(|(id, _)| known.insert(id)).map(|(_, text)| text.clone()).collect()
    }
}

fn key(user: usize) -> Key {
    Key::conversation("sim", &user_name(user)).expect("a short key")
}

impl fmt::Debug for Simulation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Simulation").field("users", &self.users).finish_non_exhaustive()
    }
}
