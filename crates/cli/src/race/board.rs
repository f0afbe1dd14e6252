//! The board of a race: what is known of each topping so far.

/// Prefix of the pizza bot's confirmations.
pub(super) const CONFIRMS: &str = "A pizza with ";

/// All toppings, in the order of sending.
#[derive(Clone, Debug, Default)]
pub(super) struct Board {
    pub(super) cells: Vec<Cell>,
}

/// One topping.
#[derive(Clone, Debug, Default)]
pub(super) struct Cell {
    pub(super) name: String,
    /// The confirmation that its customer got.
    pub(super) told: Option<String>,
    /// Number of replies after the first.
    pub(super) repeats: u32,
    /// Reply that the customer got instead of a confirmation.
    pub(super) apology: Option<String>,
    /// HTTP answer to the sender of the topping.
    pub(super) answer: Option<Result<(), String>>,
    /// Its place on the pizza, from 1.
    pub(super) place: Option<usize>,
}

/// A topping at a glance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// Nothing is known yet.
    Waiting,
    /// Somebody was told that it did not work, and it is not there.
    Refused,
    /// It is on the pizza; the customer was not told yet.
    Saved,
    /// The customer was told; it was not seen on the pizza yet.
    Told,
    /// The customer was told and it is so.
    So,
    /// The customer was told and it is not so.
    Lost,
}

impl Board {
    pub(super) fn new(names: Vec<String>) -> Self {
        let cell = |name| Cell { name, ..Cell::default() };
        Self { cells: names.into_iter().map(cell).collect() }
    }

    /// Takes note of what is on the pizza now.
    pub(super) fn look(&mut self, pizza: &[String]) {
        for cell in &mut self.cells {
            cell.place = pizza.iter().position(|name| *name == cell.name).map(|at| at + 1);
        }
    }

    /// Tells that nothing is outstanding: every sender has an answer, and every customer a reply
    /// unless the answer was an error.
    pub(super) fn is_settled(&self) -> bool {
        self.cells.iter().all(|cell| match &cell.answer {
            None => false,
            Some(Ok(())) => cell.told.is_some() || cell.apology.is_some(),
            Some(Err(_)) => true,
        })
    }

    /// Counts the cells that satisfy a predicate.
    pub(super) fn count(&self, is_it: impl Fn(&Cell) -> bool) -> usize {
        self.cells.iter().filter(|cell| is_it(cell)).count()
    }
}

impl Cell {
    /// Takes note of a reply. Only a sentence about a pizza is a confirmation.
    pub(super) fn hear(&mut self, text: String) {
        if self.told.is_some() || self.apology.is_some() {
            self.repeats += 1;
        } else if text.starts_with(CONFIRMS) {
            self.told = Some(text);
        } else {
            self.apology = Some(text);
        }
    }

    /// Tells that the order was refused, by an error or an apology.
    pub(super) fn is_refused(&self) -> bool {
        let is_error = matches!(self.answer, Some(Err(_)));
        self.told.is_none() && (is_error || self.apology.is_some())
    }

    /// The cell at a glance. What is missing is lost only once the race is over.
    pub(super) fn mark(&self, is_over: bool) -> Mark {
        match (&self.told, self.place) {
            (Some(_), Some(_)) => Mark::So,
            (Some(_), None) if is_over => Mark::Lost,
            (Some(_), None) => Mark::Told,
            (None, Some(_)) => Mark::Saved,
            (None, None) if self.is_refused() => Mark::Refused,
            (None, None) => Mark::Waiting,
        }
    }
}
