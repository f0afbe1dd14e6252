//! The totals of one semantics' runs, and the sentence that sums them up.

use super::heat::Outcome;

/// Totals over the runs of one semantics.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Total {
    pub(super) runs: u16,
    confirmed: usize,
    on_pizza: usize,
    lost: usize,
    refused: usize,
    silent: usize,
    /// Runs that were not as they should be.
    wrong: u16,
}

impl Total {
    /// Adds a run.
    pub(super) fn add(&mut self, outcome: &Outcome) {
        let verdict = &outcome.verdict;
        self.runs += 1;
        self.confirmed += verdict.confirmed;
        self.on_pizza += verdict.on_pizza;
        self.lost += verdict.lost;
        self.refused += verdict.refused;
        self.silent += verdict.silent;
        self.wrong += u16::from(!verdict.is_right());
    }

    /// Tells that every run was as it should be.
    pub(super) fn is_right(&self) -> bool {
        self.wrong == 0
    }

    /// Counts in words, without a full stop.
    pub(super) fn counts(&self) -> String {
        let (in_runs, the_pizza) = match self.runs {
            1 => (String::new(), "the pizza"),
            runs => (format!("{runs} runs: "), "the pizzas"),
        };
        let Self { confirmed, on_pizza, refused, .. } = self;
        let mut counts = format!("{in_runs}{confirmed} confirmed, {on_pizza} on {the_pizza}");
        if *refused > 0 {
            counts.push_str(&format!(", {refused} refused"));
        }
        counts
    }

    /// Conclusion from the counts: follows them, and begins with its punctuation.
    pub(super) fn moral(&self) -> String {
        match (self.lost, self.silent, self.wrong) {
            (0, 0, 0) => ", in commit order: every confirmation is true.".to_owned(),
            (0, 0, _) => ", but the confirmations do not fit the commits.".to_owned(),
            (0, 1, _) => ": 1 customer heard nothing in time.".to_owned(),
            (0, silent, _) => format!(": {silent} customers heard nothing in time."),
            (1, ..) => ": 1 customer was told something that is not so.".to_owned(),
            (lost, ..) => format!(": {lost} customers were told something that is not so."),
        }
    }
}
