//! Queries: due documents, lists of keys, and the item of a key, which may have several ids.

use std::{collections::BTreeSet, sync::Arc};

use azure_data_cosmos::{FeedScope, Query, feed::QueryPageIterator, options::QueryOptions};
use futures_core::stream::BoxStream;
use futures_util::{StreamExt, TryStreamExt, stream};
use sayso_turn::{
    Key,
    clock::Timestamp,
    store::{Cursor, Due, DuePage, Error},
};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::{
    calls::Calls,
    database::{Container, Found},
    item::{self, COLUMNS, Item, Row, due_number},
    looks::{Look, Looks},
    patience::{query_options, within},
};
use crate::meter::Call;

/// Requests for one page of due documents, most of which may come back empty.
const REQUESTS_MAX: usize = 16;

impl Calls {
    /// Finds the item of a key.
    pub(super) async fn find(
        &self,
        container: &Container,
        key: &Key,
    ) -> Result<Option<Item>, Error> {
        let real_id = self.names.real_id(key);
        let id = self.id(key)?;
        match self.read(container, key, &id.text).await? {
            None if id.has_others => self.search(container, key, &real_id).await,
            found => Ok(found),
        }
    }

    /// Finds due documents: the next page of the query that has any, container by container.
    pub(super) async fn search_due(
        &self,
        now: Timestamp,
        from: Option<&Cursor>,
        limit: usize,
    ) -> Result<DuePage, Error> {
        let mut look = from.and_then(|from| self.looks.take(from));
        if let Some(look) = look.take_if(|look| !look.rest.is_empty()) {
            let look = Look { is_gone_on_with: true, ..look };
            return Ok(self.looks.page(look, limit));
        }
        // Without its look, a cursor begins its container anew.
        let begin = from.and_then(Looks::container).unwrap_or_default();
        let text = format!("SELECT {COLUMNS} FROM c WHERE c.due <= @now");
        let query = Query::from(text).with_parameter("@now", due_number(now));
        let query = query.map_err(|error| self.failed(error))?;
        let mut missed = look.as_mut().and_then(|look| look.missed.take());
        let mut requests = 0;
        let Found { containers, mut failure } = self.database.all().await?;
        for container in containers {
            let name = container.name();
            if name < begin {
                continue;
            }
            let pages = match look.take() {
                Some(Look { container, pages, .. }) if container == name => Ok(pages),
                _ => self.pages::<Row>(&container, query.clone()).await,
            };
            let found = match pages {
                Ok(pages) => self.next_due(&container, pages, &mut requests).await,
                Err(error) => Err(error),
            };
            match found {
                Ok(None) => {}
                Ok(Some((rest, pages))) => {
                    let container = name.to_owned();
                    let is_gone_on_with = from.is_some();
                    let look = Look { container, pages, rest, missed, is_gone_on_with };
                    return Ok(self.looks.page(look, limit));
                }
                // It must not hide those after it; that it failed is said when they are through.
                Err(error) => {
                    missed = Some(name.to_owned());
                    failure = failure.or(Some(error));
                }
            }
        }
        match (failure, missed) {
            (Some(error), _) => Err(error),
            (None, Some(name)) => Err(Error::Unavailable {
                store: self.store.clone().into(),
                reason: format!("the container `{name}` could not be looked at"),
                source: None,
            }),
            (None, None) => Ok(DuePage::default()),
        }
    }

    /// The next page of a query that has anything due, or one without when that was enough for one
    /// call; `None` after the last.
    async fn next_due(
        &self,
        container: &Container,
        mut pages: QueryPageIterator<Row>,
        requests: &mut usize,
    ) -> Result<Option<(Vec<Due>, QueryPageIterator<Row>)>, Error> {
        while let Some(rows) = self.next(Call::Due, &mut pages).await? {
            let due = rows.into_iter().filter_map(|row| self.due_of(container, row));
            let rest: Vec<Due> = due.collect();
            *requests += 1;
            if !rest.is_empty() || *requests == REQUESTS_MAX {
                return Ok(Some((rest, pages)));
            }
        }
        Ok(None)
    }

    fn due_of(&self, container: &Container, row: Row) -> Option<Due> {
        let at = row.due()?;
        let (key, _) = self.key_of(container, &row)?;
        let etag = self.etag(&key, row.etag?, &row.id);
        Some(Due { key, etag, at })
    }

    /// The key of an item, and whether it may have several items; `None` when no key leads there.
    fn key_of(&self, container: &Container, row: &Row) -> Option<(Key, bool)> {
        let real_id = row.real_id.as_deref()?;
        let key = self.names.key(real_id)?;
        let id = self.names.id(real_id);
        let is_there = id.has_others || id.text == row.id;
        (is_there && self.database.is_home(container, &key)).then_some((key, id.has_others))
    }

    /// The keys that begin with a prefix.
    pub(super) fn search_keys(&self, prefix: &str) -> BoxStream<'_, Result<Key, Error>> {
        let prefix = prefix.to_owned();
        // An id is always indexed. But only in our layout it says how the key begins.
        let (member, beginning) = if self.names.is_ours() {
            ("id", self.names.id_prefix(&prefix))
        } else {
            ("realId", prefix.clone())
        };
        let text = format!("SELECT {COLUMNS} FROM c WHERE STARTSWITH(c.{member}, @beginning)");
        let query = Query::from(text).with_parameter("@beginning", beginning);
        let query = query.map_err(|error| self.failed(error));

        let wanted = prefix.clone();
        let containers = stream::once(async move {
            let query = query?;
            let containers = self.database.with(&wanted).await?.into_iter();
            Ok(stream::iter(containers.map(move |container| Ok((container, query.clone())))))
        });
        let pages = containers.try_flatten().and_then(move |(container, query)| async move {
            let pages = self.query::<Row>(Call::List, &container, query).await?;
            Ok(pages.map_ok(move |rows| (Arc::clone(&container), rows)))
        });
        let mut told = BTreeSet::new();
        let keys = pages.try_flatten().map_ok(move |(container, rows)| {
            let keys = rows.iter().filter_map(|row| self.key_of(&container, row));
            let mut keys: Vec<_> = keys.collect();
            keys.retain(|(key, may_repeat)| {
                key.as_str().starts_with(&prefix) && (!may_repeat || told.insert(key.clone()))
            });
            stream::iter(keys.into_iter().map(|(key, _)| Ok(key)))
        });
        keys.try_flatten().boxed()
    }

    /// Finds the item of a key by its `realId`; the newest when there are several.
    pub(super) async fn search(
        &self,
        container: &Container,
        key: &Key,
        real_id: &str,
    ) -> Result<Option<Item>, Error> {
        let query = Query::from("SELECT * FROM c WHERE c.realId = @key");
        let query = query.with_parameter("@key", real_id).map_err(|error| self.failed(error))?;
        let mut pages = self.query::<Box<RawValue>>(Call::Load, container, query).await?;
        let mut newest = None;
        while let Some(found) = pages.try_next().await? {
            let aged = found.into_iter().map(|raw| (Age::of(&raw), raw));
            newest = aged.chain(newest).max_by_key(|(age, _)| *age);
        }
        newest.map(|(_, raw)| item::read(self.names, key, raw.get().as_bytes())).transpose()
    }

    /// Runs a query over all partitions of a container, page by page.
    async fn query<T: DeserializeOwned + Send + 'static>(
        &self,
        call: Call,
        container: &Container,
        query: Query,
    ) -> Result<BoxStream<'_, Result<Vec<T>, Error>>, Error> {
        let pages = self.pages(container, query).await?;
        Ok(stream::try_unfold(pages, move |mut pages| async move {
            let page = self.next(call, &mut pages);
            let page = match call {
                // A page is a call of its own; other queries are part of one.
                Call::List => self.meter.time(call, page).await?,
                _ => page.await?,
            };
            Ok(page.map(|items| (items, pages)))
        })
        .boxed())
    }

    async fn pages<T: DeserializeOwned + Send + 'static>(
        &self,
        container: &Container,
        query: Query,
    ) -> Result<QueryPageIterator<T>, Error> {
        let options = QueryOptions::default().with_operation_options(query_options(self.call_max));
        let scope = FeedScope::full_container();
        let query = container.client.query_items::<T>(query, scope, Some(options));
        let query = within(self.call_max, query).await.map_err(|late| late.of_read(&self.store))?;
        Ok(query.map_err(|error| self.failed(error))?.into_pages())
    }

    /// The next page of a query; `None` after the last.
    async fn next<T: DeserializeOwned + Send + 'static>(
        &self,
        call: Call,
        pages: &mut QueryPageIterator<T>,
    ) -> Result<Option<Vec<T>>, Error> {
        let page = within(self.call_max, pages.next()).await;
        let page = page.map_err(|late| late.of_read(&self.store))?;
        let Some(page) = page else { return Ok(None) };
        let diagnostics = match &page {
            Ok(page) => Some(page.diagnostics()),
            Err(error) => error.diagnostics(),
        };
        self.charge(call, diagnostics.as_deref());
        Ok(Some(page.map_err(|error| self.failed(error))?.into_items()))
    }
}

/// Last-modified time of an item, by its server (`_ts`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Age(u64);

impl Age {
    fn of(item: &RawValue) -> Self {
        #[derive(serde::Deserialize)]
        struct Stamp {
            #[serde(rename = "_ts")]
            seconds: u64,
        }
        Self(serde_json::from_str(item.get()).map_or(0, |Stamp { seconds }| seconds))
    }
}
