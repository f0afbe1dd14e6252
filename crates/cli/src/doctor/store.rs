//! Check of the store: it can be opened, and it honours conditional writes.
//!
//! Everything rests on compare-and-swap, so it is tried on a document of the doctor's own, which is
//! removed again: writes and deletes under a condition that holds, and under one that does not.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use sayso::{
    Opened, open_configured_store,
    turn::{
        Key,
        clock::{Clock as _, SystemClock, Timestamp},
        store::{ETag, Error, Expect, Saved, Store, Write},
    },
};

use super::{finding::Finding, patient::Patient};
use crate::place::without_partitions;

/// Expiry of the document, should the doctor be stopped before it removes it.
const GONE_AFTER: Duration = Duration::from_secs(60 * 60);

/// Opens the store and tries its operations.
pub(super) async fn check(patient: Arc<Patient>) -> Finding {
    let url = patient.config.store();
    if let Some(path) = missing_file(url) {
        return would_be_made(&path);
    }
    let Opened { store, warnings, .. } = match open_configured_store(&patient.config).await {
        Ok(opened) => opened,
        Err(error) => {
            return Finding::failed(
                error.to_string(),
                "check that it exists and accepts this machine; name another with --store, SAYSO_STORE \
                 or `store` in sayso.toml",
            );
        }
    };
    match attempt(&*store).await {
        Err(Trouble::Store(error)) => Finding::failed(
            format!("{store} opened, but then failed: {error}"),
            "check that there is room, and that this user may write and delete",
        ),
        Err(Trouble::Broken(what)) => Finding::failed(
            format!("{store} does not honour conditional writes: {what}"),
            "do not use it: something in between (a proxy, an emulator) may drop the conditions",
        ),
        Ok(()) if warnings.is_empty() => {
            Finding::ok(format!("{store}: written, replaced, removed; conditions hold"))
        }
        Ok(()) => Finding::warning(
            format!("{store} works, but {}", warnings.join("; and ")),
            "change the server's settings, or accept the weaker guarantee",
        ),
    }
}

/// Failure of the store: an error, or a condition that it did not honour.
enum Trouble {
    Store(Error),
    Broken(&'static str),
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Self::Store(error)
    }
}

/// Lists what is due; then creates, replaces and removes a document.
async fn attempt(store: &dyn Store) -> Result<(), Trouble> {
    let now = SystemClock::new().now();
    store.due(now, None, 1).await?;
    let text = format!("sayso-doctor/{:016x}", fastrand::u64(..));
    let key = Key::new(text).map_err(|_| Trouble::Broken("it accepts no key"))?;
    let tried = life(store, &key, now).await;
    if tried.is_err()
        && let Ok(Some(left)) = store.load(&key).await
    {
        // It goes by itself later if this fails too.
        drop(store.delete(&key, &left.etag).await);
    }
    tried
}

async fn life(store: &dyn Store, key: &Key, now: Timestamp) -> Result<(), Trouble> {
    let write = |expect, body: &str| Write {
        key: key.clone(),
        expect,
        body: body.to_owned(),
        due: None,
        expires: Some(now.after(GONE_AFTER)),
        participants: None,
    };
    let first = held(
        store.save(write(Expect::Absent, r#"{"n":1}"#)).await?,
        "a new key was refused as if it existed",
    )?;
    refused(&store.save(write(Expect::Absent, "{}")).await?, "a document was created twice")?;
    let second = store.save(write(Expect::At(first.clone()), r#"{"n":2}"#)).await?;
    let second = held(second, "a document could not be replaced")?;
    let stale = store.save(write(Expect::At(first.clone()), "{}")).await?;
    refused(&stale, "an old version replaced a newer one")?;
    refused(&store.delete(key, &first).await?, "an old version removed a newer one")?;
    match store.load(key).await? {
        Some(stored) if stored.etag == second && stored.body == r#"{"n":2}"# => {}
        _ => return Err(Trouble::Broken("a document was read back differently")),
    }
    match store.delete(key, &second).await? {
        Saved::Committed(_) => {}
        Saved::Conflict => return Err(Trouble::Broken("a document could not be removed")),
    }
    match store.load(key).await? {
        None => Ok(()),
        Some(_) => Err(Trouble::Broken("a document that was removed is still there")),
    }
}

fn held(saved: Saved, what: &'static str) -> Result<ETag, Trouble> {
    match saved {
        Saved::Committed(etag) => Ok(etag),
        Saved::Conflict => Err(Trouble::Broken(what)),
    }
}

fn refused(saved: &Saved, what: &'static str) -> Result<(), Trouble> {
    match saved {
        Saved::Committed(_) => Err(Trouble::Broken(what)),
        Saved::Conflict => Ok(()),
    }
}

/// Returns the path of a SQLite file that does not exist yet: a check must not create it.
fn missing_file(url: &str) -> Option<PathBuf> {
    let rest = url.strip_prefix("sqlite:")?;
    let path = without_partitions(rest.strip_prefix("//").unwrap_or(rest));
    (!path.is_empty() && !Path::new(path).exists()).then(|| PathBuf::from(path))
}

/// Checks that the file could be created, with a temporary one in the nearest existing folder.
fn would_be_made(path: &Path) -> Finding {
    let folders = path.ancestors().skip(1);
    let mut folders = folders.map(|folder| match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    });
    let folder = folders.find(|folder| folder.exists()).unwrap_or_else(|| Path::new("."));
    match tempfile::tempfile_in(folder) {
        Ok(_) => Finding::ok(format!(
            "{} does not exist yet; the first start creates it",
            path.display()
        )),
        Err(error) => Finding::failed(
            format!(
                "{} cannot be created: no file can be created in {}: {error}",
                path.display(),
                folder.display()
            ),
            "give this user write access, or name another place with --store, SAYSO_STORE or `store`",
        ),
    }
}

#[cfg(test)]
mod tests;
