//! Detection of older copies, the only documents that may be overwritten without `--replace`.
//!
//! A migration that is run again has no memory, but documents have: the ledger counts writes and
//! turns and keeps the ids of the last turns. A target that has seen a turn which the source has
//! not is not a copy, and overwriting it would lose that turn.

use serde::Deserialize;

use crate::state::found::Found;

/// Length of a turn's id in the list of those seen, in characters.
const TURN_ID_CHARS: usize = 16;

/// Reports whether `old` is an earlier state of `new`; in doubt, it is not.
pub(super) fn is_older_copy(old: &Found, new: &Found) -> bool {
    let (then, now) = (&old.document.ledger, &new.document.ledger);
    // Without a revision no turn of ours wrote it, and it may be anybody's.
    if then.rev == 0 || then.rev >= now.rev || then.turn > now.turn {
        return false;
    }
    let (before, after) = (seen(&old.body), seen(&new.body));
    let (before, _) = before.as_bytes().as_chunks::<TURN_ID_CHARS>();
    let (after, _) = after.as_bytes().as_chunks::<TURN_ID_CHARS>();
    let Some(last) = before.last() else { return true };
    // So many turns later its last one is forgotten.
    let turns_since = now.turn - then.turn;
    after.contains(last) || turns_since >= after.len() as u64
}

/// Returns the ids of the last turns, oldest first.
fn seen(body: &str) -> String {
    #[derive(Default, Deserialize)]
    struct Document {
        #[serde(default, rename = "$sayso")]
        ledger: Ledger,
    }
    #[derive(Default, Deserialize)]
    struct Ledger {
        #[serde(default)]
        seen: String,
    }
    serde_json::from_str::<Document>(body).unwrap_or_default().ledger.seen
}

#[cfg(test)]
mod tests {
    use sayso::turn::{Key, store::ETag};

    use super::*;

    fn found(rev: u64, turns: &[u64]) -> Found {
        let seen: String = turns.iter().map(|turn| format!("{turn:016}")).collect();
        let turn = turns.last().copied().unwrap_or_default();
        let body = format!(
            r#"{{"n":1.5,"$sayso":{{"v":1,"turn":{turn},"rev":{rev},"write":"w","seen":"{seen}"}}}}"#
        );
        Found::new(&Key::new("k").unwrap(), body, ETag::new("1")).unwrap()
    }

    #[test]
    fn an_older_copy_has_no_turn_that_the_newer_lacks() {
        assert!(is_older_copy(&found(1, &[1]), &found(2, &[1, 2])));
        assert!(is_older_copy(&found(2, &[1, 2]), &found(9, &[2, 3, 4])));
        assert!(is_older_copy(&found(1, &[]), &found(2, &[])), "a user's document has no turns");
        assert!(is_older_copy(&found(1, &[1]), &found(900, &[800, 801])), "long ago");
    }

    #[test]
    fn whatever_else_it_is_it_is_no_copy() {
        assert!(
            !is_older_copy(&found(3, &[1, 7]), &found(9, &[1, 2, 3, 4, 8])),
            "a turn of its own"
        );
        assert!(!is_older_copy(&found(2, &[1]), &found(2, &[1])), "as often written");
        assert!(!is_older_copy(&found(3, &[1]), &found(2, &[1])), "newer");
        assert!(!is_older_copy(&found(1, &[1, 5]), &found(2, &[1])), "more turns");
        assert!(!is_older_copy(&found(0, &[]), &found(2, &[1])), "no history");
    }
}
