//! Fencing: an old primary that comes back beside the one that replaced it is told by its timeline.
//!
//! A promotion begins a new timeline. What a primary of an earlier one acknowledges is lost when it
//! is put back in line. A store remembers the newest timeline that it has met, as long as it runs.

use std::sync::Mutex;

use tokio_postgres::Client;

use super::{failure::Failure, line::first_value};
use crate::sync::lock;

/// The newest timeline that was met.
#[derive(Debug, Default)]
pub(super) struct Lineage {
    newest: Mutex<Option<Timeline>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Timeline {
    /// The same for a primary and its standbys; another one was set up anew.
    system: String,
    /// In hexadecimal digits, so many for each that they compare as text.
    number: String,
}

impl Lineage {
    /// Refuses a server that another one has replaced. One that does not tell is let through.
    /// Returns true if it is of a newer timeline than those met before.
    pub(super) async fn refuse_replaced(&self, client: &Client) -> Result<bool, Failure> {
        let sql = "SELECT system_identifier || ' ' ||
            substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) FROM pg_control_system()";
        let Ok(Some(answer)) = first_value(client, sql).await else { return Ok(false) };
        match answer.split_once(' ') {
            Some((system, number)) => self.meet(system, number),
            None => Ok(false),
        }
    }

    fn meet(&self, system: &str, number: &str) -> Result<bool, Failure> {
        let met = Timeline { system: system.to_owned(), number: number.to_owned() };
        let mut newest = lock(&self.newest);
        match &*newest {
            Some(newest) if newest.system == met.system && newest.number > met.number => {
                Err(Failure::later(
                    "it is an old primary that another server has replaced; put it back in line \
                     as a standby, or start the bot anew if it was restored on purpose",
                ))
            }
            known => {
                let is_newer = known.as_ref().is_some_and(|known| *known != met);
                *newest = Some(met);
                Ok(is_newer)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_earlier_timeline_of_the_same_system_is_refused() {
        let lineage = Lineage::default();
        for (system, number, is_used) in [
            ("7", "00000001", true),
            ("7", "00000001", true),
            ("7", "0000000A", true),
            ("7", "00000009", false),
            ("7", "00000010", true),
            ("8", "00000001", true),
            ("8", "00000002", true),
            ("8", "00000001", false),
        ] {
            assert_eq!(lineage.meet(system, number).is_ok(), is_used, "{system} {number}");
        }
        assert!(matches!(lineage.meet("8", "00000002"), Ok(false)));
        assert!(matches!(lineage.meet("8", "00000003"), Ok(true)));
    }
}
