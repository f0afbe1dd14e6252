//! Point operations: reads one item, sends a write, and settles the outcome of a write.

use std::time::Duration;

use azure_data_cosmos::{
    CosmosError, diagnostics::DiagnosticsContext, models::ItemResponse, options::ItemReadOptions,
};
use sayso_turn::{
    Key,
    store::{ETag, Error, Saved},
};

use super::{
    database::{Container, Database},
    failure::{self, Aim, sort},
    item::{self, Item},
    looks::Looks,
    names::{Id, Names},
    patience::{read_options, within},
    version::Version,
};
use crate::meter::{Call, Meter};

/// A write in flight.
pub(super) struct Sent<'a> {
    pub(super) call: Call,
    pub(super) container: &'a Container,
    pub(super) key: &'a Key,
    pub(super) id: &'a str,
    /// The write's own id, which the item carries if it was this write that made it.
    pub(super) write_id: Option<&'a str>,
    pub(super) bytes: usize,
}

/// The database of a store, and what a call needs to address it.
pub(super) struct Calls {
    /// The name of the store, for errors.
    pub(super) store: String,
    pub(super) names: Names,
    pub(super) database: Database,
    pub(super) meter: Meter,
    pub(super) looks: Looks,
    /// The time limit of a call.
    pub(super) call_max: Duration,
}

impl Calls {
    /// The id of the item of a key.
    pub(super) fn id(&self, key: &Key) -> Result<Id, Error> {
        let id = self.names.id(&self.names.real_id(key));
        if id.is_sendable() {
            return Ok(id);
        }
        Err(self.invalid(
            "a line break, a tab or mere dots cannot be sent as part of the name of the other SDK",
        ))
    }

    pub(super) async fn read(
        &self,
        container: &Container,
        key: &Key,
        id: &str,
    ) -> Result<Option<Item>, Error> {
        let options = read_options(self.call_max);
        let options = ItemReadOptions::default().with_operation_options(options);
        let read = container.client.read_item(container.partition(id), id, Some(options));
        let answer = within(self.call_max, read).await.map_err(|late| late.of_read(&self.store))?;
        self.count(Call::Load, &answer);
        match answer {
            Ok(answer) => {
                let text = answer.into_body().single().map_err(|error| self.failed(error))?;
                item::read(self.names, key, &text).map(Some)
            }
            Err(error) if failure::is_absent(&error) => Ok(None),
            Err(error) => Err(self.failed(error)),
        }
    }

    /// Sends a write and settles its outcome.
    pub(super) async fn send(
        &self,
        sent: Sent<'_>,
        request: impl Future<Output = Result<ItemResponse, CosmosError>> + Send,
    ) -> Result<Saved<Option<String>>, Error> {
        let answer =
            within(self.call_max, request).await.map_err(|late| late.of_write(&self.store))?;
        self.count(sent.call, &answer);
        let error = match answer {
            Ok(answer) => {
                let etag = answer.headers().etag();
                return Ok(Saved::Committed(etag.map(|etag| etag.to_string())));
            }
            Err(error) => error,
        };
        if !failure::is_conflict(&error) {
            let aim = Aim::Write { key: sent.key, bytes: sent.bytes };
            return Err(sort(&self.store, aim, error));
        }
        if !failure::may_have_landed_before(&error) {
            return Ok(Saved::Conflict);
        }
        // It was sent more than once, and the conflict may be with itself.
        let found = self.read(sent.container, sent.key, sent.id).await;
        match (found, sent.write_id) {
            (Ok(Some(item)), Some(own)) if item.write.as_deref() == Some(own) => {
                Ok(Saved::Committed(Some(item.etag)))
            }
            _ => Err(Error::Unknown {
                store: self.store.clone().into(),
                reason: "the connection broke, the write was sent again and met a newer version"
                    .into(),
                source: Some(Box::new(error)),
            }),
        }
    }

    fn count(&self, call: Call, answer: &Result<ItemResponse, CosmosError>) {
        let diagnostics = match answer {
            Ok(answer) => Some(answer.diagnostics()),
            Err(error) => error.diagnostics(),
        };
        self.charge(call, diagnostics.as_deref());
    }

    /// Counts the cost of a request that was answered, well or not: that is what the account is
    /// billed for.
    pub(super) fn charge(&self, call: Call, answer: Option<&DiagnosticsContext>) {
        if let Some(answer) = answer {
            self.meter.charge(call, answer.total_request_charge().value());
        }
    }

    pub(super) fn invalid(&self, reason: &str) -> Error {
        let reason = reason.to_owned();
        Error::Invalid { store: self.store.clone().into(), reason, source: None }
    }

    pub(super) fn failed(&self, error: CosmosError) -> Error {
        sort(&self.store, Aim::Read, error)
    }

    /// The ETag of an item.
    pub(super) fn etag(&self, key: &Key, etag: String, id: &str) -> ETag {
        let own = self.names.id(&self.names.real_id(key));
        let other_id = (id != own.text).then(|| id.to_owned());
        Version { etag, other_id }.to_etag()
    }
}
