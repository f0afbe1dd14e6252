//! Stores that break one rule at a time, each of which the check must detect.

use async_trait::async_trait;
use futures_util::stream::BoxStream;
use sayso::turn::store::{Cursor, DuePage, MemoryStore, Stored, Transactions};

use super::*;

/// Rules of a store that the check tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    CreateOnce,
    ReplaceTheNewest,
    DeleteTheNewest,
    ReadWhatWasWritten,
    Delete,
}

/// A store that breaks a rule, if any.
#[derive(Debug)]
struct Broken {
    rule: Option<Rule>,
    inner: MemoryStore,
}

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("broken")
    }
}

#[async_trait]
impl Store for Broken {
    async fn load(&self, key: &Key) -> Result<Option<Stored>, Error> {
        let mut stored = self.inner.load(key).await?;
        if let (Some(Rule::ReadWhatWasWritten), Some(stored)) = (self.rule, &mut stored) {
            stored.body.push(' ');
        }
        Ok(stored)
    }

    async fn save(&self, write: Write) -> Result<Saved, Error> {
        let is_broken = match write.expect {
            Expect::Absent => self.rule == Some(Rule::CreateOnce),
            Expect::At(_) => self.rule == Some(Rule::ReplaceTheNewest),
        };
        let there = self.inner.load(&write.key).await?;
        let expect = match there.filter(|_| is_broken) {
            Some(there) => Expect::At(there.etag),
            None => write.expect.clone(),
        };
        self.inner.save(Write { expect, ..write }).await
    }

    async fn delete(&self, key: &Key, etag: &ETag) -> Result<Saved, Error> {
        let there = self.inner.load(key).await?;
        match (self.rule, there) {
            (Some(Rule::DeleteTheNewest), Some(there)) => self.inner.delete(key, &there.etag).await,
            (Some(Rule::Delete), Some(there)) if there.etag == *etag => {
                Ok(Saved::Committed(etag.clone()))
            }
            _ => self.inner.delete(key, etag).await,
        }
    }

    async fn due(
        &self,
        now: Timestamp,
        from: Option<&Cursor>,
        limit: usize,
    ) -> Result<DuePage, Error> {
        self.inner.due(now, from, limit).await
    }

    fn list(&self, prefix: &str) -> BoxStream<'_, Result<Key, Error>> {
        self.inner.list(prefix)
    }

    fn transactions(&self) -> Option<&dyn Transactions> {
        None
    }
}

async fn verdict(rule: Option<Rule>) -> Option<&'static str> {
    let store = Broken { rule, inner: MemoryStore::default() };
    match attempt(&store).await {
        Ok(()) => None,
        Err(Trouble::Broken(what)) => Some(what),
        Err(Trouble::Store(error)) => panic!("{error}"),
    }
}

#[tokio::test]
async fn a_store_that_breaks_a_rule_is_found_out() {
    assert_eq!(verdict(None).await, None);
    for (rule, what) in [
        (Rule::CreateOnce, "a document was created twice"),
        (Rule::ReplaceTheNewest, "an old version replaced a newer one"),
        (Rule::DeleteTheNewest, "an old version removed a newer one"),
        (Rule::ReadWhatWasWritten, "a document was read back differently"),
        (Rule::Delete, "a document that was removed is still there"),
    ] {
        assert_eq!(verdict(Some(rule)).await, Some(what), "{rule:?}");
    }
}

#[tokio::test]
async fn nothing_of_the_doctors_stays() {
    for rule in [None, Some(Rule::CreateOnce), Some(Rule::ReplaceTheNewest)] {
        use futures_util::StreamExt as _;
        let store = Broken { rule, inner: MemoryStore::default() };
        drop(attempt(&store).await);
        assert_eq!(store.list("").count().await, 0, "{rule:?}");
    }
}

#[test]
fn a_file_that_is_not_there_is_not_made_by_looking() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("deep/er/bot.sqlite");
    let url = format!("sqlite:{}", file.display());
    let path = missing_file(&url).unwrap();
    let finding = would_be_made(&path);
    assert!(finding.text.ends_with("the first start creates it"), "{finding:?}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    std::fs::write(folder.path().join("deep"), "a file").unwrap();
    let finding = would_be_made(&path);
    assert!(finding.cure.is_some() && finding.text.contains("cannot be created"), "{finding:?}");
    assert_eq!(missing_file("memory://"), None);
    assert_eq!(missing_file("sqlite:"), None);
}
