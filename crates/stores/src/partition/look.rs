//! A look for due documents through all partitions: some of them per page, each at its own place.

use std::time::Duration;

use futures_util::future::join_all;
use sayso_turn::{
    clock::Timestamp,
    store::{Cursor, DuePage, Error},
};
use serde::{Deserialize, Serialize};

use super::PartitionedStore;
use crate::sync::lock;

/// Partitions that one page asks, at the same time.
const VISITS_MAX: usize = 8;
/// Time-out of a partition. A page must not take so long that the look is given up.
const VISIT_TIME_MAX: Duration = Duration::from_secs(4);

/// Position of a look.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Look {
    /// The last partition that the look has come to, in the order of the names; empty for the base
    /// store, `None` before it.
    at: Option<String>,
    /// Partitions that have more, and where to go on in each.
    begun: Vec<(String, String)>,
}

/// A partition to ask, and where to go on in it. The base store has an empty name.
pub(super) type Visit = (String, Option<Cursor>);

impl Look {
    /// Reads a cursor; one that cannot be read begins anew.
    pub(super) fn from(cursor: Option<&Cursor>) -> Self {
        cursor.and_then(|cursor| serde_json::from_str(cursor.as_str()).ok()).unwrap_or_default()
    }

    pub(super) fn is_new(&self) -> bool {
        self.at.is_none()
    }

    /// Takes the partitions of the next page: those that were begun, then the next ones.
    pub(super) fn next_visits(&mut self, names: &[String], limit: usize) -> Vec<Visit> {
        let most = limit.clamp(1, VISITS_MAX);
        let begun = self.begun.drain(..most.min(self.begun.len()));
        let mut visits: Vec<Visit> =
            begun.map(|(name, at)| (name, Some(Cursor::new(at)))).collect();
        while visits.len() < most
            && let Some(name) = self.next(names)
        {
            visits.push((name.clone(), None));
            self.at = Some(name);
        }
        visits
    }

    /// The partition that the look comes to next.
    fn next(&self, names: &[String]) -> Option<String> {
        match &self.at {
            None => Some(String::new()),
            Some(at) => names.iter().find(|name| *name > at).cloned(),
        }
    }

    /// Asks the partitions of a page. One that fails is left out until the next look, so that it
    /// hides nothing; only if all fail is that the error of the page.
    pub(super) async fn page(
        mut self,
        store: &PartitionedStore,
        now: Timestamp,
        visits: Vec<Visit>,
        limit: usize,
    ) -> Result<DuePage, Error> {
        let share = (limit / visits.len().max(1)).max(1);
        let asked = visits.into_iter().map(|(name, from)| async move {
            let page = visit(store, &name, now, from.as_ref(), share).await;
            (name, page)
        });
        let (mut found, mut failed, mut answers) = (Vec::new(), None, 0);
        for (name, page) in join_all(asked).await {
            note(store, &name, page.as_ref().err());
            match page {
                Ok(page) => {
                    answers += 1;
                    found.extend(page.found);
                    self.begun.extend(page.next.map(|next| (name, next.as_str().to_owned())));
                }
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        let is_over = self.begun.is_empty() && self.next(&store.directory.names()).is_none();
        match failed {
            Some(error) if answers == 0 && is_over => Err(error),
            _ => {
                let text = serde_json::to_string(&self).expect("names and cursors are JSON");
                Ok(DuePage { found, next: (!is_over).then(|| Cursor::new(text)) })
            }
        }
    }
}

/// Asks one partition, within a time.
async fn visit(
    store: &PartitionedStore,
    name: &str,
    now: Timestamp,
    from: Option<&Cursor>,
    limit: usize,
) -> Result<DuePage, Error> {
    let ask = async {
        let partition = store.store((!name.is_empty()).then_some(name)).await?;
        partition.due(now, from, limit).await
    };
    tokio::time::timeout(VISIT_TIME_MAX, ask).await.unwrap_or_else(|_| {
        Err(Error::Unavailable {
            store: store.to_string().into(),
            reason: format!("a partition did not answer within {VISIT_TIME_MAX:?}"),
            source: None,
        })
    })
}

/// Says that a partition begins to fail, and that it answers again.
fn note(store: &PartitionedStore, name: &str, error: Option<&Error>) {
    let mut failing = lock(&store.failing);
    let was_failing = failing.contains(name);
    match error {
        Some(error) if !was_failing => {
            failing.insert(name.to_owned());
            drop(failing);
            tracing::warn!(partition = name, %error, "could not look into a partition");
        }
        None if was_failing => {
            failing.remove(name);
            drop(failing);
            tracing::info!(partition = name, "the partition answers again");
        }
        _ => {}
    }
}
