//! Totals over all places: statistics, and what was purged.

use std::collections::BTreeSet;

use sayso_turn::store::{CallStats, Error, PoolStats, Purged, StoreStats};

/// Failures of places that are told one by one.
const FAILURES_TOLD: usize = 10;

/// Adds the statistics of a store to a total.
pub(super) fn add(total: &mut StoreStats, store: &StoreStats) {
    add_calls(&mut total.loads, &store.loads);
    add_calls(&mut total.saves, &store.saves);
    add_calls(&mut total.deletes, &store.deletes);
    add_calls(&mut total.dues, &store.dues);
    add_calls(&mut total.lists, &store.lists);
    add_calls(&mut total.transactions, &store.transactions);
    total.bytes_read += store.bytes_read;
    total.bytes_written += store.bytes_written;
    total.conflicts += store.conflicts;
    total.throttled += store.throttled;
    total.unavailable += store.unavailable;
    total.unknown += store.unknown;
    total.refused += store.refused;
    total.commits += store.commits;
    total.writes += store.writes;
    total.alone += store.alone;
    if let Some(pool) = &store.pool {
        add_pool(total.pool.get_or_insert_default(), pool);
    }
}

fn add_calls(total: &mut CallStats, calls: &CallStats) {
    total.calls += calls.calls;
    total.failed += calls.failed;
    total.given_up += calls.given_up;
    total.request_units += calls.request_units;
    total.total_us += calls.total_us;
    total.max_us = total.max_us.max(calls.max_us);
    for (sum, count) in total.latencies.iter_mut().zip(calls.latencies) {
        *sum += count;
    }
}

fn add_pool(total: &mut PoolStats, pool: &PoolStats) {
    total.connections_max += pool.connections_max;
    total.in_use += pool.in_use;
    total.idle += pool.idle;
}

/// Reports of all places in one: whole only if each is. A sentence of several stands once.
#[derive(Debug, Default)]
pub(super) struct Joined {
    is_partial: bool,
    done: Sentences,
    left: Sentences,
    failures: usize,
}

/// Sentences in the order in which they were first said.
#[derive(Debug, Default)]
struct Sentences {
    said: BTreeSet<String>,
    all: Vec<String>,
}

impl Sentences {
    fn say(&mut self, sentence: String) {
        if self.said.insert(sentence.clone()) {
            self.all.push(sentence);
        }
    }
}

impl Joined {
    /// Adds the report of a partition, or of the base store without a name.
    pub(super) fn add(&mut self, place: Option<&str>, purged: Result<Purged, Error>) {
        match purged {
            Ok(Purged { is_whole, done, left }) => {
                self.is_partial |= !is_whole;
                done.into_iter().for_each(|sentence| self.done.say(sentence));
                left.into_iter().for_each(|sentence| self.left.say(sentence));
            }
            Err(error) => {
                self.is_partial = true;
                self.failures += 1;
                if self.failures <= FAILURES_TOLD {
                    let place = match place {
                        Some(name) => format!("the partition {name}"),
                        None => "the base store".to_owned(),
                    };
                    self.left.say(format!("all that {place} keeps, which failed: {error}"));
                }
            }
        }
    }
}

impl From<Joined> for Purged {
    fn from(joined: Joined) -> Self {
        let Joined { is_partial, done, mut left, failures } = joined;
        if failures > FAILURES_TOLD {
            let others = failures - FAILURES_TOLD;
            left.say(format!("all that {others} other partitions keep, which failed, too"));
        }
        Self { is_whole: !is_partial, done: done.all, left: left.all }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    /// Sets each number of a value by its name and by what it was.
    fn each_number(value: &mut Value, name: &str, set: &mut impl FnMut(&str, &Value) -> Value) {
        match value {
            Value::Object(fields) => {
                fields.iter_mut().for_each(|(name, field)| each_number(field, name, set));
            }
            Value::Array(items) => items.iter_mut().for_each(|item| each_number(item, name, set)),
            number => *number = set(name, number),
        }
    }

    #[test]
    fn a_total_has_every_number_of_each_store() {
        let mut zeros = StoreStats::default();
        zeros.pool = Some(PoolStats::default());
        let mut value = serde_json::to_value(zeros).unwrap();
        each_number(&mut value, "", &mut |_, _| 3.into());
        let store: StoreStats = serde_json::from_value(value).unwrap();
        let mut total = StoreStats::default();
        add(&mut total, &store);
        assert_eq!(total, store);
        add(&mut total, &store);
        let mut numbers = 0;
        each_number(&mut serde_json::to_value(total).unwrap(), "", &mut |name, number| {
            numbers += 1;
            let sum = if name == "max_us" { 3.0 } else { 6.0 };
            assert_eq!(number.as_f64(), Some(sum), "{name}");
            Value::Null
        });
        assert_eq!(numbers, 6 * 14 + 10 + 3);
    }

    #[test]
    fn a_purge_is_whole_only_if_that_of_each_place_is() {
        let purged = |is_whole, left: &[&str]| Ok(Purged { is_whole, ..Purged::nothing(left) });
        let mut joined = Joined::default();
        joined.add(None, purged(true, &["backups"]));
        joined.add(Some("t-a"), purged(true, &["backups", "a log"]));
        let both = Purged::from(joined);
        assert_eq!((both.is_whole, both.left), (true, vec!["backups".into(), "a log".into()]));

        let mut joined = Joined::default();
        joined.add(None, purged(true, &[]));
        joined.add(Some("t-a"), purged(false, &["backups"]));
        joined.add(Some("t-b"), purged(true, &[]));
        assert!(!Purged::from(joined).is_whole);

        let mut joined = Joined::default();
        for number in 0..13 {
            let error = Error::Throttled { store: "it".into(), after: None };
            joined.add(Some(&format!("t-{number}")), Err(error));
        }
        let failed = Purged::from(joined);
        assert_eq!((failed.is_whole, failed.left.len()), (false, 11));
        assert!(failed.left[0].contains("t-0"), "{:?}", failed.left);
        assert!(failed.left[10].contains(" 3 other"), "{:?}", failed.left);
    }
}
