//! `sayso state reencrypt`: encrypts with the first key what is under an older one, or in clear.

use std::{pin::pin, process::ExitCode};

use futures_util::StreamExt as _;
use sayso::{
    stores::encrypting::Encrypting,
    turn::{
        Key,
        store::{Error, Expect, Store},
    },
};
use serde::Serialize;

use super::{
    exit,
    found::{Looked, look},
    limits::{IN_FLIGHT, ROUNDS_MAX},
    options::Reencrypt,
    output::Output,
    patience::{Refusals, WriteResult, patiently},
    units,
};
use crate::terminal;

/// Number of documents by outcome.
#[derive(Debug, Default, Serialize)]
struct Sum {
    reencrypted: u64,
    /// Under the first key already.
    current: u64,
    /// Left as they were.
    refused: u64,
}

enum Outcome {
    Reencrypted,
    Current,
    Gone,
    Refused(String),
}

/// Looks at every document and prints the counts.
pub(super) async fn run(options: Reencrypt) -> anyhow::Result<ExitCode> {
    let store = options.place.open_encrypted().await?;
    let (store, refusals) = (store.as_ref(), &Refusals::default());
    let settled = store.list(&options.prefix);
    let settled = settled.map(|key| async { settle(store, &key?, refusals).await });
    let mut settled = pin!(settled.buffer_unordered(IN_FLIGHT));
    let mut sum = Sum::default();
    while let Some(outcome) = settled.next().await {
        match outcome? {
            Outcome::Reencrypted => sum.reencrypted += 1,
            Outcome::Current => sum.current += 1,
            Outcome::Gone => {}
            Outcome::Refused(reason) => {
                sum.refused += 1;
                terminal::note(&reason);
            }
        }
    }
    let mut output = Output::new();
    match options.json {
        true => output.json(&sum)?,
        false => output.line(format!(
            "under the key {}: {} now, {} before; left alone {}",
            store.current_key_id(),
            units::count(sum.reencrypted),
            units::count(sum.current),
            units::count(sum.refused),
        ))?,
    }
    output.end()?;
    Ok(exit::code(sum.refused == 0))
}

/// Saves a document as it is, unless its last save was under the first key.
async fn settle(
    store: &Encrypting<dyn Store>,
    key: &Key,
    refusals: &Refusals,
) -> Result<Outcome, Error> {
    for _ in 0..ROUNDS_MAX {
        match patiently(|| store.key_id(key)).await {
            Ok(None) => return Ok(Outcome::Gone),
            Ok(Some(id)) if id == store.current_key_id() => return Ok(Outcome::Current),
            // What is wrong is said by `look`.
            Ok(Some(_)) | Err(Error::Corrupt { .. }) => {}
            Err(error) => return Err(error),
        }
        let found = match look(store, key).await? {
            Looked::Absent => return Ok(Outcome::Gone),
            Looked::Damaged { reason, .. } => return Ok(Outcome::Refused(reason)),
            Looked::Found(found) => found,
        };
        let write = found.write(Expect::At(found.etag.clone()));
        match refusals.save(store, &write).await? {
            WriteResult::Done(_) => return Ok(Outcome::Reencrypted),
            // Whoever was faster may have had an older key ring.
            WriteResult::Again => {}
            WriteResult::Refused(reason) => return Ok(Outcome::Refused(reason)),
        }
    }
    Ok(Outcome::Refused(format!("{key} is written by others all the time")))
}
