//! Transactions over encrypted documents: one condition for all, as the store behind has it.

use std::borrow::Cow;

use async_trait::async_trait;
use sayso_turn::store::{ETag, Error, Saved, Store, Transactions, Write};

use super::{Encrypting, Sealed};

#[async_trait]
impl<S: Store + ?Sized> Transactions for Encrypting<S> {
    async fn save_all(&self, writes: Vec<Write>) -> Result<Saved<Vec<ETag>>, Error> {
        let Some(transactions) = self.store.transactions() else {
            return Err(Error::Invalid {
                store: Cow::Owned(self.to_string()),
                reason: "it has no transactions".into(),
                source: None,
            });
        };
        let (mut known, mut sealed) = (Vec::new(), Vec::new());
        for write in writes {
            let (key, bytes) = (write.key.clone(), write.body.len());
            let Sealed { write, version } = self.seal(write)?;
            known.push((key, write.key.clone(), bytes, version));
            sealed.push(write);
        }
        let saved = transactions.save_all(sealed).await.map_err(|error| {
            let own = match &error {
                Error::Corrupt { key, .. } | Error::TooLarge { key, .. } => {
                    known.iter().find(|(_, name, ..)| name == key)
                }
                _ => None,
            };
            match own {
                Some((key, _, bytes, _)) => self.restated(error, key, *bytes),
                None => error,
            }
        })?;
        if let Saved::Committed(etags) = &saved {
            for ((key, name, _, version), etag) in known.into_iter().zip(etags) {
                self.written(&key, &name, etag, version);
            }
        }
        Ok(saved)
    }
}
