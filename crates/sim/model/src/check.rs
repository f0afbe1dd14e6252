//! Model checking: searches every state within the bound, and finds a shortest counterexample for
//! each broken promise.

use std::{
    fmt::Debug,
    hash::Hash,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use stateright::{Checker, Expectation, Model, Path, Property};

use crate::{
    promise::{Promise, Protocol},
    world::Bound,
};

/// Verdict of the search on one promise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No state within the bound breaks it.
    Holds,
    /// It breaks, at the end of this counterexample. There is no shorter one.
    Broken(Vec<String>),
    /// It means nothing for this protocol.
    NotAsked,
}

impl Verdict {
    /// Reports whether the promise breaks.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        matches!(self, Self::Broken(_))
    }
}

/// The result of one search.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Each promise and its verdict.
    pub verdicts: Vec<(Promise, Verdict)>,
    /// Situations that never came up: with any of these the search proves nothing.
    pub missing: Vec<&'static str>,
    /// Number of distinct states.
    pub states: usize,
    /// Duration of the search.
    pub took: Duration,
}

impl Outcome {
    /// The verdict on one promise.
    #[must_use]
    pub fn verdict(&self, promise: Promise) -> &Verdict {
        let found = self.verdicts.iter().find(|(known, _)| *known == promise);
        found.map_or(&Verdict::NotAsked, |(_, verdict)| verdict)
    }
}

/// A protocol under search.
struct Search<P> {
    protocol: P,
    /// Promises already found broken. The checker would keep the last way that it finds; breadth
    /// first, the first one is the shortest.
    broken: [AtomicBool; Promise::ALL.len()],
}

impl<P: Protocol> Search<P> {
    fn is_fine<const PROMISE: usize>(&self, state: &P::State) -> bool {
        let (Some(broken), Some(promise)) = (self.broken.get(PROMISE), Promise::ALL.get(PROMISE))
        else {
            return true;
        };
        broken.load(Ordering::Relaxed)
            || promise.is_kept(&self.protocol, state)
            || broken.swap(true, Ordering::Relaxed)
    }

    /// Reports whether everything is acknowledged and answered, and nothing is left to do.
    fn is_good_end(&self, state: &P::State) -> bool {
        let world = P::world(state);
        let mut activities = 0..self.protocol.bound().activities;
        activities
            .all(|activity| world.acked.contains(activity) && world.visible.contains(activity))
            && self.protocol.is_at_rest(state)
    }

    /// Situations that must be reachable within the bound, else the search proves nothing.
    fn situations(&self) -> Vec<Property<Self>> {
        let Bound { crashes, faults, expiries, .. } = *self.protocol.bound();
        let mut list: Vec<Property<Self>> = vec![Property::sometimes(
            "all came as often as they can and were answered",
            |search, state| {
                let is_over = P::world(state).left.iter().all(|left| *left == 0);
                is_over && search.is_good_end(state)
            },
        )];
        if crashes > 0 {
            list.push(Property::sometimes("a crash, and all were answered", |search, state| {
                P::world(state).crashes == 0 && search.is_good_end(state)
            }));
        }
        if faults > 0 {
            list.push(Property::sometimes("a fault, and all were answered", |search, state| {
                P::world(state).faults == 0 && search.is_good_end(state)
            }));
        }
        if expiries > 0 {
            list.push(Property::sometimes("an expiry, and all were answered", |search, state| {
                P::world(state).expiries == 0 && search.is_good_end(state)
            }));
        }
        list.push(Property::sometimes("all that can go wrong did", |_, state| {
            let world = P::world(state);
            world.crashes == 0 && world.faults == 0 && world.expiries == 0
        }));
        list.extend(self.protocol.situations());
        list
    }
}

impl<P: Protocol> Model for Search<P> {
    type State = P::State;
    type Action = P::Action;

    fn init_states(&self) -> Vec<P::State> {
        self.protocol.init_states()
    }

    fn actions(&self, state: &P::State, steps: &mut Vec<P::Action>) {
        self.protocol.actions(state, steps);
    }

    fn next_state(&self, state: &P::State, step: P::Action) -> Option<P::State> {
        self.protocol.next_state(state, step)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        let conditions: [fn(&Self, &P::State) -> bool; Promise::ALL.len()] = [
            Self::is_fine::<0>,
            Self::is_fine::<1>,
            Self::is_fine::<2>,
            Self::is_fine::<3>,
            Self::is_fine::<4>,
            Self::is_fine::<5>,
            Self::is_fine::<6>,
            Self::is_fine::<7>,
            Self::is_fine::<8>,
        ];
        let promises = Promise::ALL.into_iter().zip(conditions);
        let promises = promises.filter(|(promise, _)| promise.concerns(&self.protocol));
        let promises = promises.map(|(promise, kept)| Property::always(promise.name(), kept));
        promises.chain(self.situations()).collect()
    }
}

/// Searches all states of a protocol within its bound.
///
/// One thread, breadth first: counterexamples are shortest ones, and the same in each run.
pub fn check<P>(protocol: P) -> Outcome
where
    P: Protocol + Send + Sync + 'static,
    P::State: Debug + Hash + Send + Sync + Clone + PartialEq,
    P::Action: Debug + Clone + PartialEq,
{
    let began = Instant::now();
    let search = Search { protocol, broken: Default::default() };
    let checker = search.checker().threads(1).spawn_bfs().join();
    let took = began.elapsed();
    let found = checker.discoveries();
    let search = checker.model();
    let verdict = |promise: Promise| match found.get(promise.name()) {
        _ if !promise.concerns(&search.protocol) => Verdict::NotAsked,
        Some(path) => Verdict::Broken(story(&search.protocol, path)),
        None => Verdict::Holds,
    };
    let verdicts = Promise::ALL.map(|promise| (promise, verdict(promise))).into();
    let situations = search.properties().into_iter();
    let situations = situations.filter(|p| matches!(p.expectation, Expectation::Sometimes));
    let missing = situations.map(|p| p.name).filter(|name| !found.contains_key(name)).collect();
    Outcome { verdicts, missing, states: checker.unique_state_count(), took }
}

/// Describes a path in words, a line for each step.
fn story<P>(protocol: &P, path: &Path<P::State, P::Action>) -> Vec<String>
where
    P: Protocol,
    P::State: Clone + PartialEq,
    P::Action: Clone + PartialEq,
{
    let states: Vec<_> = path.clone().into_states();
    let steps = path.clone().into_actions();
    let around = states.iter().zip(states.iter().skip(1));
    let told =
        steps.iter().zip(around).map(|(step, (before, after))| protocol.tell(before, step, after));
    told.collect()
}
