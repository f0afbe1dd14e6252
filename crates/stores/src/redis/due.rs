//! Looks for due documents: from shard to shard, a growing number of shards at a time.

use std::future::Future;

use futures_util::future::try_join_all;
use redis::{Value, from_redis_value};
use sayso_turn::{
    Key,
    store::{Cursor, Due, DuePage, ETag},
};

use super::{
    names::{SHARDS, Shard},
    version::due_in,
};

/// Growth of the number of shards that are asked at once: the first one may have enough, and when
/// hardly anything is due a page takes few round trips.
const GROWTH: usize = 4;

/// Page of one shard: in the order of the keys, and a flag if there may be more.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub(super) found: Vec<Due>,
    pub(super) has_more: bool,
}

impl Page {
    /// Parses the answer of the script.
    pub(super) fn read(answer: Value) -> Option<Self> {
        let (has_more, found): (i64, Vec<Vec<u8>>) = match answer {
            Value::Array(mut values) if !values.is_empty() => {
                let has_more = from_redis_value(values.remove(0)).ok()?;
                (has_more, from_redis_value(Value::Array(values)).ok()?)
            }
            _ => return None,
        };
        let mut texts = found.into_iter().map(|bytes| String::from_utf8(bytes).ok());
        let mut page = Self { found: Vec::new(), has_more: has_more != 0 };
        while let Some(key) = texts.next() {
            let (key, etag) = (key?, texts.next()??);
            let at = due_in(&etag)?;
            page.found.push(Due { key: Key::new(key).ok()?, etag: ETag::new(etag), at });
        }
        Some(page)
    }
}

/// Place of a look: a shard, and the last key that was found in it.
#[derive(Debug)]
struct Place {
    shard: usize,
    after: Option<Key>,
}

impl Place {
    fn read(cursor: &Cursor) -> Option<Self> {
        let (shard, key) = cursor.as_str().split_once(' ')?;
        let after = if key.is_empty() { None } else { Some(Key::new(key).ok()?) };
        Some(Self { shard: shard.parse().ok()?, after })
    }

    fn cursor(&self) -> Cursor {
        Cursor::new(format!("{} {}", self.shard, self.after.as_ref().map_or("", Key::as_str)))
    }
}

/// Finds up to `limit` due documents from a place on; `ask` returns those of a shard after a key.
pub(super) async fn look<E, A: Future<Output = Result<Page, E>>>(
    from: Option<&Cursor>,
    limit: usize,
    ask: impl Fn(Shard, Option<Key>, usize) -> A,
) -> Result<DuePage, E> {
    let begin = Place { shard: 0, after: None };
    let Place { mut shard, mut after } = from.and_then(Place::read).unwrap_or(begin);
    let (mut found, mut at_once) = (Vec::new(), 1);
    while shard < SHARDS && limit > 0 {
        let shards = Shard::all().skip(shard).take(at_once);
        let asked = shards.map(|shard| ask(shard, after.take(), limit - found.len()));
        for page in try_join_all(asked).await? {
            let room = limit - found.len();
            let is_whole = !page.has_more && page.found.len() <= room;
            found.extend(page.found.into_iter().take(room));
            if !is_whole {
                let after = if room > 0 { found.last().map(|due| due.key.clone()) } else { None };
                let next = Some(Place { shard, after }.cursor());
                return Ok(DuePage { found, next });
            }
            shard += 1;
        }
        at_once *= GROWTH;
    }
    Ok(DuePage { found, next: None })
}

#[cfg(test)]
mod tests {
    use std::{cell::Cell, convert::Infallible, future::ready};

    use futures_util::FutureExt;
    use sayso_turn::clock::Timestamp;

    use super::*;

    fn due(key: &str) -> Due {
        let (etag, at) = (ETag::new("e"), Timestamp::START);
        Due { key: Key::new(key).unwrap(), etag, at }
    }

    /// A page of these documents, and the number of calls that it took.
    fn page(all: &[(usize, Due)], from: Option<&Cursor>, limit: usize) -> (DuePage, usize) {
        let calls = Cell::new(0);
        let ask = |shard: Shard, after: Option<Key>, want: usize| {
            calls.set(calls.get() + 1);
            let own = all.iter().filter(|(number, _)| *number == shard.number());
            let mut found: Vec<Due> = own.map(|(_, due)| due.clone()).collect();
            found.retain(|due| after.as_ref().is_none_or(|after| due.key > *after));
            found.sort_by(|one, other| one.key.cmp(&other.key));
            let has_more = found.len() > want;
            found.truncate(want);
            ready(Ok::<_, Infallible>(Page { found, has_more }))
        };
        let page = look(from, limit, ask).now_or_never().unwrap().unwrap();
        (page, calls.get())
    }

    #[test]
    fn a_look_names_everything_once_however_it_is_spread() {
        for shards in [1, 2, 63, 64] {
            let all: Vec<_> = (0..300)
                .map(|number| (number * 7 % shards, due(&format!("k{number:04}"))))
                .collect();
            for limit in [1, 2, 10, 64, 133, 300, 2_000] {
                let (mut named, mut from) = (Vec::new(), None);
                for _ in 0..=400 {
                    let (DuePage { found, next }, _) = page(&all, from.as_ref(), limit);
                    assert!(found.len() <= limit);
                    named.extend(found);
                    from = next;
                    if from.is_none() {
                        break;
                    }
                }
                named.sort_by(|one, other| one.key.cmp(&other.key));
                let expected: Vec<_> = all.iter().map(|(_, due)| due.clone()).collect();
                assert!(named == expected, "{shards} shards, pages of {limit}");
            }
        }
        assert_eq!(page(&[(0, due("a"))], None, 0).0, DuePage::default());
    }

    #[test]
    fn a_page_takes_few_calls() {
        let key = |number: usize| format!("{:016x}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        for shards in [1, SHARDS] {
            let all: Vec<_> =
                (0..10_000).map(|number| (number % shards, due(&key(number)))).collect();
            let (page, calls) = page(&all, None, 500);
            assert_eq!(page.found.len(), 500);
            assert!(calls <= 1 + GROWTH + GROWTH * GROWTH, "{calls} calls");
        }
    }
}
