//! `sayso state import`: creates documents from lines of JSON.

use std::{
    io::{self, BufRead as _, Read as _},
    pin::pin,
    process::ExitCode,
};

use futures_util::{StreamExt as _, stream};
use sayso::turn::store::{Error, Expect, Store};
use serde::Serialize;
use tokio::sync::mpsc;

use super::{
    exit,
    found::{Found, Looked, look},
    limits::{IN_FLIGHT, ROUNDS_MAX},
    line,
    options::Import,
    output::Output,
    patience::{Refusals, WriteResult},
    units,
};
use crate::{place::Missing, terminal};

/// Maximum length of a line: the largest document of any engine, and some.
const LINE_BYTES_MAX: u64 = 256 << 20;

/// Number of lines by outcome.
#[derive(Debug, Default, Serialize)]
struct Sum {
    created: usize,
    same: usize,
    replaced: usize,
    /// Left as they were.
    different: usize,
    /// Lines that are no documents, or such as the store does not take.
    refused: usize,
}

#[derive(Debug)]
enum Outcome {
    Created,
    Same,
    Replaced,
    Different(String),
    Refused(String),
}

/// Imports all lines and prints the counts.
pub(super) async fn run(options: Import) -> anyhow::Result<ExitCode> {
    let store = options.place.open(Missing::Create).await?;
    let store = store.as_ref();
    let (replace, refusals) = (options.replace, &Refusals::default());
    let lines = stream::unfold(stdin_lines(), |mut lines| async {
        lines.recv().await.map(|line| (line, lines))
    });
    let puts = lines.map(|line| async move {
        let (number, line) = line?;
        let outcome = match line::read(&line) {
            Ok(found) => put(store, &found, replace, refusals).await?,
            Err(reason) => Outcome::Refused(reason),
        };
        Ok::<_, anyhow::Error>((number, outcome))
    });
    let mut puts = pin!(puts.buffer_unordered(IN_FLIGHT));
    let mut sum = Sum::default();
    while let Some(put) = puts.next().await {
        let (number, outcome) = put?;
        match outcome {
            Outcome::Created => sum.created += 1,
            Outcome::Same => sum.same += 1,
            Outcome::Replaced => sum.replaced += 1,
            Outcome::Different(what) => {
                sum.different += 1;
                terminal::note(&what);
            }
            Outcome::Refused(reason) => {
                sum.refused += 1;
                terminal::note(&format!("line {number}: {reason}"));
            }
        }
    }
    let mut output = Output::new();
    match options.json {
        true => output.json(&sum)?,
        false => output.line(sum.sentence())?,
    }
    output.end()?;
    Ok(exit::code(sum.different == 0 && sum.refused == 0))
}

/// Creates a document, or replaces the one that is there if allowed.
async fn put(
    store: &dyn Store,
    found: &Found,
    replace: bool,
    refusals: &Refusals,
) -> Result<Outcome, Error> {
    for _ in 0..ROUNDS_MAX {
        let there = match look(store, &found.key).await {
            Ok(there) => there,
            // A layout may have no name for a key.
            Err(error) => return Ok(Outcome::Refused(refusals.forgive(&found.key, error)?)),
        };
        let (expect, outcome) = match there {
            Looked::Absent => (Expect::Absent, Outcome::Created),
            Looked::Found(there) if there.is_same(found) => return Ok(Outcome::Same),
            Looked::Found(there) if replace => (Expect::At(there.etag), Outcome::Replaced),
            Looked::Found(there) => {
                return Ok(Outcome::Different(format!(
                    "{} is there already and differs: left as it is (--replace replaces it)",
                    there.key
                )));
            }
            Looked::Damaged { reason, .. } => return Ok(Outcome::Refused(reason)),
        };
        match refusals.save(store, &found.write(expect)).await? {
            WriteResult::Done(_) => return Ok(outcome),
            WriteResult::Again => {}
            WriteResult::Refused(reason) => return Ok(Outcome::Refused(reason)),
        }
    }
    Ok(Outcome::Refused(format!("{} is written by others all the time", found.key)))
}

impl Sum {
    fn sentence(&self) -> String {
        format!(
            "created {}, same {}, replaced {}, different {}, refused {}",
            units::count(self.created as u64),
            units::count(self.same as u64),
            units::count(self.replaced as u64),
            units::count(self.different as u64),
            units::count(self.refused as u64),
        )
    }
}

/// Numbered lines from standard input, read by a thread of its own, since such a read cannot be
/// cancelled.
fn stdin_lines() -> mpsc::Receiver<io::Result<(usize, String)>> {
    let (sender, receiver) = mpsc::channel(IN_FLIGHT);
    std::thread::spawn(move || {
        let mut input = io::stdin().lock();
        for number in 1.. {
            let mut line = String::new();
            let read = input.by_ref().take(LINE_BYTES_MAX).read_line(&mut line);
            let next = match read {
                Ok(0) => return,
                Ok(length) if length as u64 == LINE_BYTES_MAX => {
                    Err(io::Error::other("a line is too long to be a document"))
                }
                Ok(_) if line.trim().is_empty() => continue,
                Ok(_) => Ok((number, line)),
                Err(error) => Err(error),
            };
            let is_over = next.is_err();
            if sender.blocking_send(next).is_err() || is_over {
                return;
            }
        }
    });
    receiver
}

#[cfg(test)]
mod tests {
    use sayso::turn::{
        clock::Timestamp,
        store::{MemoryStore, Saved},
    };

    use super::*;

    fn found(body: &str) -> Found {
        line::read(&format!(r#"{{"key":"k","body":{body}}}"#)).unwrap()
    }

    #[tokio::test]
    async fn what_waits_in_a_document_is_due_in_the_store() {
        let store = MemoryStore::default();
        let body = r#"{"$sayso":{"v":1,"timers":[{"id":"t","at":7,"activity":{}}]}}"#;
        assert!(matches!(
            put(&store, &found(body), false, &Refusals::default()).await,
            Ok(Outcome::Created)
        ));
        let due = store.due(Timestamp::from_millis(7), None, 9).await.unwrap().found;
        assert_eq!((due.len(), due[0].at), (1, Timestamp::from_millis(7)));
    }

    #[tokio::test]
    async fn a_document_that_is_there_is_replaced_only_when_told_and_a_damaged_one_never() {
        let (store, refusals) = (MemoryStore::default(), &Refusals::default());
        assert!(matches!(put(&store, &found("{}"), false, refusals).await, Ok(Outcome::Created)));
        assert!(matches!(put(&store, &found("{ }"), true, refusals).await, Ok(Outcome::Same)));
        let other = found(r#"{"a":1}"#);
        assert!(matches!(put(&store, &other, false, refusals).await, Ok(Outcome::Different(_))));
        assert!(matches!(put(&store, &other, true, refusals).await, Ok(Outcome::Replaced)));
        let etag = store.load(&other.key).await.unwrap().unwrap().etag;
        let mut write = other.write(Expect::At(etag));
        write.body = "not ours".to_owned();
        assert!(matches!(store.save(write).await, Ok(Saved::Committed(_))));
        assert!(matches!(put(&store, &other, true, refusals).await, Ok(Outcome::Refused(_))));
    }
}
