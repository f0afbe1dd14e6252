//! Schedule of faults, by the number of a request or by chance.

use super::Fault;

/// Rules, of which the first that applies to a request gives its fault.
#[derive(Clone, Debug, Default)]
pub(crate) struct Schedule {
    seed: u64,
    rules: Vec<(When, Fault)>,
}

#[derive(Clone, Copy, Debug)]
enum When {
    Every(u64),
    EveryOfConnection(u64),
    OneIn(u64),
}

impl Schedule {
    /// A schedule without faults, with the seed for those that come by chance.
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed, rules: Vec::new() }
    }

    /// Every n-th request, those of all connections counted together.
    pub(crate) fn every(self, n: u64, fault: Fault) -> Self {
        self.rule(When::Every(n), fault)
    }

    /// Every n-th request of each connection.
    pub(crate) fn every_of_connection(self, n: u64, fault: Fault) -> Self {
        self.rule(When::EveryOfConnection(n), fault)
    }

    /// One request in n, by the dice.
    pub(crate) fn one_in(self, n: u64, fault: Fault) -> Self {
        self.rule(When::OneIn(n), fault)
    }

    fn rule(mut self, when: When, fault: Fault) -> Self {
        self.rules.push((when, fault));
        self
    }

    /// The fault of a request, by its number among all and on its connection, both from one.
    pub(super) fn fault(&self, overall: u64, of_connection: u64) -> Option<Fault> {
        // The dice depends on the number alone, not on what was thrown before.
        let mut dice = fastrand::Rng::with_seed(self.seed.rotate_left(32) ^ overall);
        let mut rules = self.rules.iter();
        let applies = |when: &When, dice: &mut fastrand::Rng| match *when {
            When::Every(n) => overall.is_multiple_of(n),
            When::EveryOfConnection(n) => of_connection.is_multiple_of(n),
            When::OneIn(n) => dice.u64(..n) == 0,
        };
        rules.find(|(when, _)| applies(when, &mut dice)).map(|(_, fault)| *fault)
    }
}
