//! Small pages of due documents, the first and the last one empty: all that the contract of a store
//! allows.

use sayso_turn::{
    clock::Timestamp,
    store::{Cursor, DuePage, Error, Store},
};

use crate::chance::Chance;

/// The largest number of documents on a page.
const MOST: usize = 3;

/// The cursor of the page after the first one, which is empty.
const BEGINNING: &str = "beginning";

/// Asks a store for the next small page.
pub(super) async fn next(
    store: &dyn Store,
    chance: &Chance,
    now: Timestamp,
    from: Option<&Cursor>,
) -> Result<DuePage, Error> {
    let Some(from) = from else {
        return Ok(DuePage { found: Vec::new(), next: Some(Cursor::new(BEGINNING)) });
    };
    let from = Some(from).filter(|from| from.as_str() != BEGINNING);
    let DuePage { found, .. } = store.due(now, from, 1 + chance.below(MOST)).await?;
    let next = found.last().map(Cursor::after);
    Ok(DuePage { found, next })
}
