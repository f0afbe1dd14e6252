//! Fault injection: a decorator that fails as a script says, in the ways that real stores do.

use std::{
    borrow::Cow,
    fmt,
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use futures_core::stream::BoxStream;
use futures_util::{StreamExt, stream};
use sayso_turn::{
    Key,
    clock::Timestamp,
    store::{
        Cursor, DuePage, ETag, Effort, Error, Participant, Purged, Saved, Store, StoreStats,
        Stored, Transactions, Write,
    },
};

use super::counted::no_transactions;
use crate::sync::lock;

/// Fault injection for any store: a script decides about each call.
///
/// # Example
/// ```
/// use std::sync::Arc;
///
/// use sayso_stores::doubles::{Call, Fault, Faulty, Operation};
/// use sayso_turn::{Key, store::{Error, Expect, MemoryStore, Store, Write}};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// // The answer of the first save is lost.
/// let store = Faulty::new(Arc::new(MemoryStore::default()), |call: Call<'_>| {
///     match (call.operation, call.number) {
///         (Operation::Save, 0) => Fault::AnswerLost,
///         _ => Fault::None,
///     }
/// });
/// let key = Key::new("k").unwrap();
/// let write = Write::new(key.clone(), Expect::Absent, "{}");
/// assert!(matches!(store.save(write).await, Err(Error::Unknown { .. })));
/// assert!(store.load(&key).await.unwrap().is_some());
/// assert_eq!(store.faults(), 1);
/// # }
/// ```
pub struct Faulty<S: ?Sized> {
    script: Mutex<Script>,
    store: Arc<S>,
}

struct Script {
    next: Box<dyn FnMut(Call<'_>) -> Fault + Send>,
    calls: u64,
    faults: u64,
}

/// A call that the script decides about.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Call<'a> {
    /// The method.
    pub operation: Operation,
    /// The document, where there is one; the first of a transaction.
    pub key: Option<&'a Key>,
    /// The number of calls before this one.
    pub number: u64,
}

/// The methods of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Operation {
    /// [`Store::load`].
    Load,
    /// [`Store::save`].
    Save,
    /// [`Store::delete`].
    Delete,
    /// [`Store::due`].
    Due,
    /// [`Store::list`].
    List,
    /// [`Transactions::save_all`].
    SaveAll,
}

/// The outcome of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// No fault: the call goes through.
    None,
    /// The write is done and its answer is lost: [`Error::Unknown`]. A read is unavailable.
    AnswerLost,
    /// The write is lost on its way, and nobody knows: [`Error::Unknown`]. A read is unavailable.
    RequestLost,
    /// [`Error::Throttled`]; nothing happens.
    Throttled(Option<Duration>),
    /// [`Error::Unavailable`]; nothing happens.
    Unavailable,
    /// The call goes through after a while (tokio's time). A list is not slowed down.
    Slow(Duration),
}

impl<S: Store + ?Sized> Faulty<S> {
    /// Wraps a store; asks the script before each call.
    pub fn new(store: Arc<S>, script: impl FnMut(Call<'_>) -> Fault + Send + 'static) -> Self {
        Self { script: Mutex::new(Script { next: Box::new(script), calls: 0, faults: 0 }), store }
    }

    /// The number of calls disturbed so far: a test that saw none has tested nothing.
    pub fn faults(&self) -> u64 {
        lock(&self.script).faults
    }

    fn next(&self, operation: Operation, key: Option<&Key>) -> Fault {
        let mut script = lock(&self.script);
        let number = script.calls;
        script.calls += 1;
        let fault = (script.next)(Call { operation, key, number });
        script.faults += u64::from(fault != Fault::None);
        fault
    }

    async fn read<T>(
        &self,
        fault: Fault,
        read: impl Future<Output = Result<T, Error>> + Send,
    ) -> Result<T, Error> {
        match fault {
            Fault::None => read.await,
            Fault::Slow(wait) => {
                tokio::time::sleep(wait).await;
                read.await
            }
            Fault::Throttled(after) => Err(self.throttled(after)),
            Fault::AnswerLost | Fault::RequestLost | Fault::Unavailable => Err(self.unavailable()),
        }
    }

    async fn write<T>(
        &self,
        fault: Fault,
        write: impl Future<Output = Result<T, Error>> + Send,
    ) -> Result<T, Error> {
        match fault {
            Fault::AnswerLost => match write.await {
                Ok(_) => Err(self.unknown("the answer was lost")),
                Err(error) => Err(error),
            },
            Fault::RequestLost => Err(self.unknown("the request was lost")),
            _ => self.read(fault, write).await,
        }
    }

    fn unknown(&self, reason: &str) -> Error {
        let store = Cow::Owned(self.to_string());
        Error::Unknown { store, reason: format!("a fault of the test: {reason}"), source: None }
    }

    fn throttled(&self, after: Option<Duration>) -> Error {
        Error::Throttled { store: Cow::Owned(self.to_string()), after }
    }

    /// Draws the failure of a list.
    fn list_failure(&self) -> Option<Error> {
        match self.next(Operation::List, None) {
            Fault::None | Fault::Slow(_) => None,
            Fault::Throttled(after) => Some(self.throttled(after)),
            Fault::AnswerLost | Fault::RequestLost | Fault::Unavailable => Some(self.unavailable()),
        }
    }

    fn unavailable(&self) -> Error {
        let store = Cow::Owned(self.to_string());
        Error::Unavailable { store, reason: "a fault of the test".into(), source: None }
    }
}

#[async_trait]
impl<S: Store + ?Sized> Store for Faulty<S> {
    async fn load(&self, key: &Key) -> Result<Option<Stored>, Error> {
        let fault = self.next(Operation::Load, Some(key));
        self.read(fault, self.store.load(key)).await
    }

    async fn save(&self, write: Write) -> Result<Saved, Error> {
        let fault = self.next(Operation::Save, Some(&write.key));
        self.write(fault, self.store.save(write)).await
    }

    async fn delete(&self, key: &Key, etag: &ETag) -> Result<Saved, Error> {
        let fault = self.next(Operation::Delete, Some(key));
        self.write(fault, self.store.delete(key, etag)).await
    }

    async fn due(
        &self,
        now: Timestamp,
        from: Option<&Cursor>,
        limit: usize,
    ) -> Result<DuePage, Error> {
        let fault = self.next(Operation::Due, None);
        self.read(fault, self.store.due(now, from, limit)).await
    }

    fn list(&self, prefix: &str) -> BoxStream<'_, Result<Key, Error>> {
        match self.list_failure() {
            None => self.store.list(prefix),
            Some(failure) => stream::once(std::future::ready(Err(failure))).boxed(),
        }
    }

    fn list_with(
        &self,
        participant: Participant,
        prefix: &str,
    ) -> Option<BoxStream<'_, Result<Key, Error>>> {
        let listed = self.store.list_with(participant, prefix)?;
        Some(match self.list_failure() {
            None => listed,
            Some(failure) => stream::once(std::future::ready(Err(failure))).boxed(),
        })
    }

    async fn purge(&self, effort: Effort) -> Result<Purged, Error> {
        self.store.purge(effort).await
    }

    fn transactions(&self) -> Option<&dyn Transactions> {
        self.store.transactions().map(|_| self as &dyn Transactions)
    }

    fn stats(&self) -> StoreStats {
        self.store.stats()
    }
}

#[async_trait]
impl<S: Store + ?Sized> Transactions for Faulty<S> {
    async fn save_all(&self, writes: Vec<Write>) -> Result<Saved<Vec<ETag>>, Error> {
        let fault = self.next(Operation::SaveAll, writes.first().map(|write| &write.key));
        match self.store.transactions() {
            Some(transactions) => self.write(fault, transactions.save_all(writes)).await,
            None => Err(no_transactions(self)),
        }
    }
}

impl<S: fmt::Display + ?Sized> fmt::Display for Faulty<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.store.fmt(f)
    }
}

impl<S: fmt::Debug + ?Sized> fmt::Debug for Faulty<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Faulty").field("store", &self.store).finish_non_exhaustive()
    }
}
