//! Signs of a turn whose sender listens to them (`deliveryMode: stream`): they go to that sender, not to
//! the channel.

use std::{fmt, sync::Arc, time::Duration};

use async_trait::async_trait;
use futures_util::future::BoxFuture;
use sayso_activity::Activity;

use super::shelf::Shelf;
use crate::{Bag, Key, Limits, store, turn::Source};

/// Who listens to the signs of one turn.
#[derive(Clone)]
pub(super) struct Listener(Arc<dyn Fn(Activity) + Send + Sync>);

impl Listener {
    pub(super) fn new(listener: impl Fn(Activity) + Send + Sync + 'static) -> Self {
        Self(Arc::new(listener))
    }
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Listener")
    }
}

/// A shelf whose signs go to a listener.
#[derive(Debug)]
pub(super) struct Heard {
    pub(super) shelf: Arc<Shelf>,
    pub(super) listener: Listener,
}

#[async_trait]
impl Source for Heard {
    async fn bag(&self, key: &Key) -> Result<Bag, Arc<store::Error>> {
        self.shelf.bag(key).await
    }

    async fn show(&self, _: &Key, sign: &Activity) -> Option<String> {
        (self.listener.0)(sign.clone());
        // There is one listener, and it hears one message in the making.
        Some("stream".to_owned())
    }

    fn spawn(&self, work: BoxFuture<'static, ()>) {
        self.shelf.spawn(work);
    }

    fn sleep(&self, wait: Duration) -> BoxFuture<'static, ()> {
        self.shelf.sleep(wait)
    }

    fn limits(&self) -> &Limits {
        self.shelf.limits()
    }
}
