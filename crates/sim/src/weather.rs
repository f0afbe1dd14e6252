//! Weather: outages that concern all instances for a while. The store refuses calls, or the channel
//! is down.

use std::time::Duration;

use sayso_turn::{Key, store::Error};

/// The outages at the moment.
#[derive(Debug, Default)]
pub(crate) struct Weather {
    /// End of the channel's outage.
    pub(crate) channel_down_until: Option<Duration>,
    pub(crate) refusals: Vec<Refusal>,
}

/// A store that refuses for a while.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) until: Duration,
    /// One document, or all of them.
    pub(crate) key: Option<Key>,
    pub(crate) of: Refused,
}

/// Kind of calls that a store refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// To show a document, because it is damaged.
    Damaged,
    /// To show or name anything.
    Loads,
    /// To write anything.
    Saves,
}

impl Weather {
    /// Time left until the channel is up again, if it is down.
    pub(crate) fn channel_down_for(&self, now: Duration) -> Option<Duration> {
        self.channel_down_until.filter(|until| *until > now).map(|until| until - now)
    }

    /// Ends all outages.
    pub(crate) fn clear_up(&mut self) {
        *self = Self::default();
    }

    /// Reports whether no refusal is about a document.
    pub(crate) fn is_fine_for(&self, key: &Key) -> bool {
        !self.refusals.iter().any(|refusal| refusal.is_about(key))
    }

    /// The error of a load, if the store refuses it; of no document in particular where there is no
    /// key.
    pub(crate) fn refuses_load(&self, now: Duration, key: Option<&Key>) -> Option<Error> {
        let refusal = self.refusals.iter().find(|refusal| {
            let is_about = match key {
                Some(key) => refusal.is_about(key),
                None => refusal.key.is_none(),
            };
            refusal.until > now && refusal.of != Refused::Saves && is_about
        })?;
        Some(match (refusal.of, key) {
            (Refused::Damaged, Some(key)) => {
                Error::Corrupt { key: key.clone(), reason: "torn".to_owned() }
            }
            _ => forbidden(),
        })
    }

    /// The error of a save, if the store refuses it.
    pub(crate) fn refuses_save(&self, now: Duration, key: &Key) -> Option<Error> {
        let is_it = |refusal: &&Refusal| {
            refusal.until > now && refusal.of == Refused::Saves && refusal.is_about(key)
        };
        self.refusals.iter().find(is_it).map(|_| forbidden())
    }
}

impl Refusal {
    fn is_about(&self, key: &Key) -> bool {
        self.key.as_ref().is_none_or(|own| own == key)
    }
}

fn forbidden() -> Error {
    Error::Invalid { store: "sim".into(), reason: "403".to_owned(), source: None }
}
