//! Merges the pages of due documents of all shards into one page.
//!
//! Each shard answers in the order of its keys. It is asked for a little more than its fair share;
//! the page ends where some shard has said all it was asked for and has more, and that shard is
//! asked on until the page is full.

use std::future::Future;

use futures_util::future::try_join_all;
use redis::{Value, from_redis_value};
use sayso_turn::{
    Key,
    store::{Due, ETag},
};

use super::{
    names::{SHARDS, Shard},
    version::due_in,
};

/// The answer of one shard: in the order of the keys, and a flag if there may be more.
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

/// Merges the first `limit` due documents of all shards; `ask` returns those of a shard after a
/// key.
pub(super) async fn merge<E, A: Future<Output = Result<Page, E>>>(
    after: Option<&Key>,
    limit: usize,
    ask: impl Fn(Shard, Option<Key>, usize) -> A,
) -> Result<Vec<Due>, E> {
    let mut share = (limit.div_ceil(SHARDS) * 2 + 2).min(limit);
    if share == 0 {
        return Ok(Vec::new());
    }
    let first = Shard::all().map(|shard| ask(shard, after.cloned(), share));
    let mut pages: Vec<Page> = try_join_all(first).await?;
    loop {
        let open = pages.iter().enumerate().filter(|(_, page)| page.has_more);
        let ends = open.filter_map(|(number, page)| Some((page.found.last()?.key.clone(), number)));
        // Up to here nothing can be missing.
        let Some((end, number)) = ends.min() else { return Ok(in_order(pages, None, limit)) };
        let known = pages.iter().flat_map(|page| &page.found).filter(|due| due.key <= end);
        if known.count() >= limit {
            return Ok(in_order(pages, Some(&end), limit));
        }
        share = (share * 2).min(limit);
        let Some((shard, page)) = Shard::all().zip(&mut pages).nth(number) else {
            return Ok(in_order(pages, Some(&end), limit));
        };
        let next = ask(shard, Some(end), share).await?;
        page.has_more = next.has_more && !next.found.is_empty();
        page.found.extend(next.found);
    }
}

fn in_order(pages: Vec<Page>, end: Option<&Key>, limit: usize) -> Vec<Due> {
    let mut due: Vec<Due> = pages.into_iter().flat_map(|page| page.found).collect();
    due.retain(|due| end.is_none_or(|end| due.key <= *end));
    due.sort_by(|one, other| one.key.cmp(&other.key));
    due.truncate(limit);
    due
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

    /// The page after a key, of these documents, and how many calls it took.
    fn page(all: &[(usize, Due)], after: Option<&Key>, limit: usize) -> (Vec<Due>, usize) {
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
        let merged = merge(after, limit, ask).now_or_never().unwrap().unwrap();
        (merged, calls.get())
    }

    #[test]
    fn pages_name_everything_once_in_order_however_it_is_spread() {
        for shards in [1, 2, 63, 64] {
            let all: Vec<_> = (0..300)
                .map(|number| (number * 7 % shards, due(&format!("k{number:04}"))))
                .collect();
            for limit in [1, 2, 10, 64, 133, 300, 2_000] {
                let (mut named, mut after) = (Vec::new(), None);
                for _ in 0..=300 {
                    let (found, _) = page(&all, after.as_ref(), limit);
                    assert!(found.len() <= limit);
                    let Some(last) = found.last() else { break };
                    after = Some(last.key.clone());
                    named.extend(found);
                }
                let expected: Vec<_> = all.iter().map(|(_, due)| due.clone()).collect();
                assert!(named == expected, "{shards} shards, pages of {limit}");
            }
        }
        assert_eq!(page(&[(0, due("a"))], None, 0).0, []);
    }

    #[test]
    fn a_page_takes_few_calls() {
        let key = |number: usize| format!("{:016x}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let all: Vec<_> = (0..10_000).map(|number| (number % SHARDS, due(&key(number)))).collect();
        let (found, calls) = page(&all, None, 500);
        assert_eq!(found.len(), 500);
        assert!(calls <= SHARDS + 8, "{calls} calls");
        let all: Vec<_> = (0..10_000).map(|number| (5, due(&key(number)))).collect();
        let (found, calls) = page(&all, None, 500);
        assert_eq!(found.len(), 500);
        assert!(calls <= SHARDS + 8, "{calls} calls");
    }
}
