//! The verdict: checks that every confirmation is true, in the order of commits.
//!
//! A confirmation lists the toppings up to its own. If no update is lost and no word is false, each
//! is a prefix of the pizza that ends with the customer's own topping, and the longest is the
//! pizza.

use super::board::{Board, CONFIRMS, Cell};

/// Comparison of the confirmations with the stored pizza.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Verdict {
    pub(super) confirmed: usize,
    pub(super) on_pizza: usize,
    /// Confirmed and not on the pizza.
    pub(super) lost: usize,
    /// Refused, by an error or an apology.
    pub(super) refused: usize,
    /// Neither confirmed nor refused in time.
    pub(super) silent: usize,
    /// Confirmations that came more than once.
    pub(super) repeats: u32,
    /// Why words and pizza do not fit together, if so.
    pub(super) flaw: Option<String>,
}

impl Verdict {
    /// Compares the board with the pizza.
    pub(super) fn new(board: &Board, pizza: &[String]) -> Self {
        let confirmed = board.count(|cell| cell.told.is_some());
        let refused = board.count(Cell::is_refused);
        Self {
            confirmed,
            refused,
            silent: board.cells.len() - confirmed - refused,
            on_pizza: pizza.len(),
            lost: board.count(|cell| cell.told.is_some() && !pizza.contains(&cell.name)),
            repeats: board.cells.iter().map(|cell| cell.repeats).sum(),
            flaw: flaw(board, pizza).err(),
        }
    }

    /// Tells that every confirmation fits the pizza and the order of commits.
    pub(super) fn is_consistent(&self) -> bool {
        self.flaw.is_none()
    }

    /// Tells that everybody got an answer, no topping was lost, and every confirmation is true.
    pub(super) fn is_right(&self) -> bool {
        self.lost == 0 && self.silent == 0 && self.is_consistent()
    }
}

fn flaw(board: &Board, pizza: &[String]) -> Result<(), String> {
    let mut longest = 0;
    for cell in &board.cells {
        if let Some(told) = &cell.told {
            longest = longest.max(check(cell, told, pizza)?);
        }
    }
    if longest != pizza.len() {
        return Err(format!(
            "the longest confirmation lists {longest} toppings and the pizza has {}",
            pizza.len()
        ));
    }
    Ok(())
}

/// Gives the number of toppings in a confirmation that is as it should be.
fn check(cell: &Cell, told: &str, pizza: &[String]) -> Result<usize, String> {
    let list = told.strip_prefix(CONFIRMS).and_then(|rest| rest.strip_suffix('.'));
    let Some(list) = list else {
        return Err(format!("the confirmation of {} is cut short", cell.name));
    };
    let list: Vec<&str> = list.split(" and ").collect();
    if list.last() != Some(&&*cell.name) {
        return Err(format!("the confirmation of {} does not end with it", cell.name));
    }
    if !pizza.iter().map(String::as_str).take(list.len()).eq(list.iter().copied()) {
        return Err(format!("the confirmation of {} is not how the pizza began", cell.name));
    }
    Ok(list.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(told: &[(&str, Option<&str>)], pizza: &[&str]) -> Verdict {
        let mut board = Board::new(told.iter().map(|(name, _)| (*name).to_owned()).collect());
        for (cell, (_, told)) in board.cells.iter_mut().zip(told) {
            cell.told = told.map(|list| format!("A pizza with {list}."));
        }
        let pizza: Vec<String> = pizza.iter().map(|name| (*name).to_owned()).collect();
        Verdict::new(&board, &pizza)
    }

    #[test]
    fn prefixes_of_the_pizza_are_right_in_whatever_order_they_were_sent() {
        let verdict = check(
            &[("a", Some("b and a")), ("b", Some("b")), ("c", Some("b and a and c"))],
            &["b", "a", "c"],
        );
        assert!(verdict.is_right(), "{verdict:?}");
        assert_eq!((verdict.confirmed, verdict.on_pizza, verdict.lost), (3, 3, 0));
    }

    #[test]
    fn an_overwritten_topping_is_lost_and_a_flaw() {
        let verdict = check(&[("a", Some("a")), ("b", Some("b"))], &["b"]);
        assert_eq!((verdict.confirmed, verdict.on_pizza, verdict.lost), (2, 1, 1));
        assert!(!verdict.is_consistent());
    }

    #[test]
    fn words_that_do_not_fit_the_order_are_a_flaw_even_if_nothing_is_lost() {
        for told in [
            [("a", Some("a and b")), ("b", Some("a and b"))],
            [("a", Some("a")), ("b", Some("b"))],
            [("a", Some("a")), ("b", None)],
        ] {
            let verdict = check(&told, &["a", "b"]);
            assert!(verdict.lost == 0 && !verdict.is_consistent(), "{verdict:?}");
        }
    }

    #[test]
    fn a_topping_that_nobody_spoke_of_is_not_right_but_a_refused_one_is() {
        let verdict = check(&[("a", Some("a")), ("b", None)], &["a"]);
        assert!(verdict.is_consistent() && !verdict.is_right(), "{verdict:?}");
        assert_eq!((verdict.silent, verdict.refused), (1, 0));

        let mut board = Board::new(vec!["a".to_owned()]);
        board.cells[0].hear("Sorry, that did not work.".to_owned());
        let verdict = Verdict::new(&board, &[]);
        assert!(verdict.is_right(), "{verdict:?}");
        assert_eq!((verdict.confirmed, verdict.silent, verdict.refused), (0, 0, 1));
    }
}
