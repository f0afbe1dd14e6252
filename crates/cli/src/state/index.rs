//! Keys of the documents in the index of due documents, page by page.

use std::sync::Arc;

use futures_util::{
    StreamExt as _, TryStreamExt as _,
    stream::{self, BoxStream},
};
use sayso::turn::{
    Key,
    clock::Timestamp,
    store::{Cursor, DuePage, Error, Store},
};

use super::{limits::PAGE, patience::patiently};

/// Position in the index.
enum Place {
    At(Option<Cursor>),
    End,
}

/// Names the documents that are due up to a time, perhaps far ahead, and begin with a prefix. A
/// document that changes meanwhile may be named twice.
pub(super) fn keys<'a>(
    store: &'a dyn Store,
    horizon: Timestamp,
    prefix: &str,
) -> BoxStream<'a, Result<Key, Error>> {
    let prefix: Arc<str> = prefix.into();
    let pages = stream::try_unfold(Place::At(None), move |place| {
        let prefix = Arc::clone(&prefix);
        async move {
            let Place::At(from) = place else { return Ok(None) };
            let page = patiently(|| store.due(horizon, from.as_ref(), PAGE)).await?;
            let DuePage { found, next } = page;
            let keys = found.into_iter().map(|due| due.key);
            let keys: Vec<_> =
                keys.filter(|key| key.as_str().starts_with(&*prefix)).map(Ok).collect();
            let place = next.map_or(Place::End, |next| Place::At(Some(next)));
            Ok(Some((stream::iter(keys), place)))
        }
    });
    pages.try_flatten().boxed()
}

#[cfg(test)]
mod tests {
    use sayso::turn::store::{Expect, MemoryStore, Write};

    use super::*;

    #[tokio::test]
    async fn all_that_is_due_up_to_a_time_is_named_over_many_pages() {
        let store = MemoryStore::default();
        for number in 0..3 * PAGE {
            let key = Key::new(format!("{}/{number}", number % 2)).unwrap();
            let due = (number % 3 > 0).then(|| Timestamp::from_millis(number as u64 % 3));
            let write = Write {
                key,
                expect: Expect::Absent,
                body: "{}".into(),
                due,
                expires: None,
                participants: None,
            };
            store.save(write).await.unwrap();
        }
        for (horizon, prefix, count) in [(1, "", PAGE), (9, "", 2 * PAGE), (9, "0/", PAGE)] {
            let named = keys(&store, Timestamp::from_millis(horizon), prefix);
            let named: Vec<Key> = named.try_collect().await.unwrap();
            assert_eq!(named.len(), count, "{horizon} {prefix}");
        }
    }
}
