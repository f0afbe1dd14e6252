//! Live source of a turn (`deliveryMode: stream`): ephemeral events go to the sender, not to the
//! channel.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use futures_util::future::BoxFuture;
use sayso_activity::Activity;

use super::{documents::FurtherDocuments, item::Listener};
use crate::{
    Key, Limits,
    attempt::{Receipts, Source},
    id::TurnId,
    ledger::Bag,
    reentrancy::InstanceTag,
    store,
};

/// Returns the source of a turn; with a listener, one that sends ephemeral events to it.
pub(super) fn source(
    documents: &Arc<FurtherDocuments>,
    listener: Option<&Listener>,
) -> Arc<dyn Source> {
    let documents = Arc::clone(documents);
    match listener {
        None => documents,
        Some(listener) => Arc::new(LiveSource { documents, listener: listener.clone() }),
    }
}

#[derive(Debug)]
struct LiveSource {
    documents: Arc<FurtherDocuments>,
    listener: Listener,
}

#[async_trait]
impl Source for LiveSource {
    async fn bag(&self, key: &Key) -> Result<Bag, Arc<store::Error>> {
        self.documents.bag(key).await
    }

    async fn show(&self, _: &Key, sign: &Activity) -> Option<String> {
        (self.listener.0)(sign.clone());
        // A listener receives a single stream, so a constant id will do.
        Some("stream".to_owned())
    }

    fn spawn(&self, work: BoxFuture<'static, ()>) {
        self.documents.spawn(work);
    }

    fn sleep(&self, wait: Duration) -> BoxFuture<'static, ()> {
        self.documents.sleep(wait)
    }

    fn instance_tag(&self) -> InstanceTag {
        self.documents.instance_tag()
    }

    fn limits(&self) -> &Limits {
        self.documents.limits()
    }

    fn keep(&self, turn: TurnId, receipts: &Arc<Receipts>) {
        self.documents.keep(turn, receipts);
    }

    fn leave(&self, run: BoxFuture<'static, ()>) {
        self.documents.leave(run);
    }
}
