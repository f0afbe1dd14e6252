//! A look for due documents through all partitions: some of them per page, each at its own place.

use std::{collections::BTreeSet, sync::Mutex, time::Duration};

use futures_util::future::join_all;
use sayso_turn::{
    clock::Timestamp,
    store::{Cursor, DuePage, Error},
};
use serde::{Deserialize, Serialize};

use super::open::OpenStores;
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

    /// Makes a page of the answers of its partitions. One that fails is left out until the next
    /// look, so that it hides nothing; only if all fail is that the error of the page.
    pub(super) fn page(
        mut self,
        names: &[String],
        failing: &Failing,
        answers: Vec<Answer>,
    ) -> Result<DuePage, Error> {
        let (mut found, mut failed, mut has_answers) = (Vec::new(), None, false);
        for (name, page) in answers {
            failing.note(&name, page.as_ref().err());
            match page {
                Ok(page) => {
                    has_answers = true;
                    found.extend(page.found);
                    self.begun.extend(page.next.map(|next| (name, next.as_str().to_owned())));
                }
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        let is_over = self.begun.is_empty() && self.next(names).is_none();
        match failed {
            Some(error) if !has_answers && is_over => Err(error),
            _ => {
                let text = serde_json::to_string(&self).expect("names and cursors are JSON");
                Ok(DuePage { found, next: (!is_over).then(|| Cursor::new(text)) })
            }
        }
    }
}

/// Answer of a partition.
type Answer = (String, Result<DuePage, Error>);

/// Asks the partitions of a page, all at once, each for its share and within a time.
pub(super) async fn ask(
    stores: &OpenStores,
    visits: Vec<Visit>,
    now: Timestamp,
    limit: usize,
) -> Vec<Answer> {
    let share = (limit / visits.len().max(1)).max(1);
    let asked = visits.into_iter().map(|(name, from)| async move {
        let ask = async {
            let partition = stores.get((!name.is_empty()).then_some(&*name)).await?;
            partition.due(now, from.as_ref(), share).await
        };
        let page = tokio::time::timeout(VISIT_TIME_MAX, ask).await.unwrap_or_else(|_| {
            Err(Error::Unavailable {
                store: stores.base().to_string().into(),
                reason: format!("a partition did not answer within {VISIT_TIME_MAX:?}"),
                source: None,
            })
        });
        (name, page)
    });
    join_all(asked).await
}

/// Partitions that the last look could not ask.
#[derive(Debug, Default)]
pub(super) struct Failing(Mutex<BTreeSet<String>>);

impl Failing {
    pub(super) fn names(&self) -> Vec<String> {
        lock(&self.0).iter().cloned().collect()
    }

    /// Says that a partition begins to fail, and that it answers again.
    fn note(&self, name: &str, error: Option<&Error>) {
        let is_news = match error {
            Some(_) => lock(&self.0).insert(name.to_owned()),
            None => lock(&self.0).remove(name),
        };
        match error {
            _ if !is_news => {}
            Some(error) => {
                tracing::warn!(partition = name, %error, "could not look into a partition");
            }
            None => tracing::info!(partition = name, "the partition answers again"),
        }
    }
}
