//! `sayso state rm`: removes documents, each only as it was shown.

use std::process::ExitCode;

use anyhow::bail;
use sayso::turn::{
    Key,
    store::{ETag, Store},
};
use serde_json::json;

use super::{
    confirm, exit,
    facts::Facts,
    found::{Looked, look, now},
    limits::ROUNDS_MAX,
    options::Rm,
    patience::delete,
    units,
};
use crate::{
    place::Missing,
    terminal::{self, Paint},
};

/// Shows the documents, asks for confirmation, and removes those that have not changed since.
pub(super) async fn run(options: Rm) -> anyhow::Result<ExitCode> {
    let store = options.place.open(Missing::Refuse).await?;
    let mut seen = Vec::new();
    let paint = Paint::stdout();
    let config = options.place.load()?;
    for key in &options.keys {
        let key = options.whose.key(&config, key)?;
        let etag = match look(store.as_ref(), &key).await? {
            Looked::Found(found) => {
                let facts = Facts::new(&found);
                if facts.has_promises() && !options.force {
                    bail!(
                        "{key} still has {}, which would be lost; use --force if that is what you want. \
                         Nothing was removed",
                        facts.waiting()
                    );
                }
                if !options.json {
                    if seen.is_empty() {
                        terminal::line(Facts::head(paint));
                    }
                    terminal::line(facts.row(now(), paint));
                }
                found.etag
            }
            Looked::Damaged { etag: Some(etag), reason } if options.force => {
                terminal::note(&reason);
                etag
            }
            Looked::Damaged { reason, .. } => bail!("{reason}. Nothing was removed"),
            Looked::Absent => bail!("there is no document {key} in {store}. Nothing was removed"),
        };
        seen.push((key, etag));
    }
    let what = units::many(seen.len(), "document", "documents");
    if !options.yes && !confirm::ask(&format!("Remove {what} from {store}?")).await? {
        bail!("nothing was removed; --yes removes without asking");
    }
    let mut changed = 0;
    for (key, etag) in &seen {
        let is_removed = remove(store.as_ref(), key, etag).await?;
        if options.json {
            terminal::line(json!({"key": key.as_str(), "removed": is_removed}));
        }
        if !is_removed {
            changed += 1;
            terminal::note(&format!("{key} has changed meanwhile and was not removed"));
        }
    }
    if !options.json {
        terminal::line(format_args!("removed {} of {what}", seen.len() - changed));
    }
    Ok(exit::code(changed == 0))
}

/// Removes a document if it is at that version; one that is gone already counts.
async fn remove(store: &dyn Store, key: &Key, etag: &ETag) -> anyhow::Result<bool> {
    for _ in 0..ROUNDS_MAX {
        if delete(store, key, etag).await? {
            return Ok(true);
        }
        // A conflict, or a lost answer: only a look can tell which.
        let there = match look(store, key).await? {
            Looked::Absent => return Ok(true),
            Looked::Found(found) => Some(found.etag),
            Looked::Damaged { etag, .. } => etag,
        };
        if there.as_ref() != Some(etag) {
            return Ok(false);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use sayso::turn::store::{Expect, MemoryStore, Saved, Write};

    use super::*;

    async fn put(store: &MemoryStore, key: &Key, expect: Expect) -> ETag {
        let write = Write::new(key.clone(), expect, "{}");
        let Ok(Saved::Committed(etag)) = store.save(write).await else { panic!("a conflict") };
        etag
    }

    #[tokio::test]
    async fn what_has_changed_since_it_was_shown_stays() {
        let (store, key) = (MemoryStore::default(), Key::new("k").unwrap());
        let shown = put(&store, &key, Expect::Absent).await;
        let now = put(&store, &key, Expect::At(shown.clone())).await;
        assert!(!remove(&store, &key, &shown).await.unwrap());
        assert!(store.load(&key).await.unwrap().is_some());
        assert!(remove(&store, &key, &now).await.unwrap());
        assert!(remove(&store, &key, &now).await.unwrap(), "gone is gone");
    }
}
