//! The base store, and the partitions that are open: few at a time, the least recently used one is
//! closed for another.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex},
};

use futures_util::future::BoxFuture;
use sayso_turn::store::{Error, Store, StoreStats};
use tokio::sync::OnceCell;

use super::totals;
use crate::sync::lock;

/// Opens a partition by its name.
pub(super) type Open =
    Box<dyn Fn(String) -> BoxFuture<'static, Result<Arc<dyn Store>, Error>> + Send + Sync>;

/// The partitions that are open, or are being opened.
pub(super) struct OpenStores {
    base: Arc<dyn Store>,
    open: Open,
    pub(super) open_max: usize,
    stores: Mutex<Stores>,
}

type Cell = Arc<OnceCell<Arc<dyn Store>>>;

#[derive(Default)]
struct Stores {
    by_name: BTreeMap<String, (Cell, u64)>,
    /// Counts the uses.
    uses: u64,
    /// Statistics of the partitions that were closed, so that no total ever falls.
    closed: StoreStats,
}

impl OpenStores {
    pub(super) fn new(base: Arc<dyn Store>, open: Open, open_max: usize) -> Self {
        Self { base, open, open_max, stores: Mutex::default() }
    }

    pub(super) fn base(&self) -> &dyn Store {
        &*self.base
    }

    /// Returns a partition, opened if it is not, or the base store without a name. Whoever uses one
    /// that is closed meanwhile keeps it until they are done.
    pub(super) async fn get(&self, name: Option<&str>) -> Result<Arc<dyn Store>, Error> {
        let Some(name) = name else { return Ok(Arc::clone(&self.base)) };
        let cell = self.cell(name);
        let opened = cell.get_or_try_init(|| (self.open)(name.to_owned())).await;
        opened.cloned().map_err(|error| match error {
            // Nothing was written yet.
            Error::Unknown { store, reason, source } => {
                Error::Unavailable { store, reason, source }
            }
            error => error,
        })
    }

    /// Statistics of the base and of all partitions, those that were closed as they were then.
    pub(super) fn stats(&self) -> StoreStats {
        let mut total = self.base.stats();
        let stores = lock(&self.stores);
        totals::add(&mut total, &stores.closed);
        let open = stores.by_name.values().filter_map(|(cell, _)| cell.get());
        open.for_each(|store| totals::add(&mut total, &store.stats()));
        total
    }

    fn cell(&self, name: &str) -> Cell {
        let mut closed = None;
        let mut stores = lock(&self.stores);
        stores.uses += 1;
        let now = stores.uses;
        if let Some((cell, used)) = stores.by_name.get_mut(name) {
            *used = now;
            return Arc::clone(cell);
        }
        if stores.by_name.len() >= self.open_max {
            let oldest = stores.by_name.iter().min_by_key(|(_, (_, used))| *used);
            let oldest = oldest.map(|(name, _)| name.clone());
            closed = oldest.and_then(|oldest| stores.by_name.remove(&oldest));
            if let Some(store) = closed.as_ref().and_then(|(cell, _)| cell.get()) {
                let mut stats = store.stats();
                // Its connections will be gone.
                stats.pool = None;
                totals::add(&mut stores.closed, &stats);
            }
        }
        let cell = Cell::default();
        stores.by_name.insert(name.to_owned(), (Arc::clone(&cell), now));
        drop(stores);
        // Outside of the lock: closing may take a moment.
        drop(closed);
        cell
    }
}

impl fmt::Debug for OpenStores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let open: Vec<String> = lock(&self.stores).by_name.keys().cloned().collect();
        f.debug_struct("OpenStores")
            .field("base", &self.base)
            .field("open", &open)
            .finish_non_exhaustive()
    }
}
