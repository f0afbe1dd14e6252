//! Costs of each engine as numbers, measured with the production engine on the store, and kept as a
//! table in the engine's page: `SAYSO_WRITE_COSTS=1` writes it, and without that a page that says
//! something else fails its test.

mod local;
#[cfg(any(feature = "azure-blob", feature = "postgres", feature = "redis", feature = "s3"))]
pub(crate) mod wire;

use std::{
    collections::BTreeMap, env, fs, io::Write as _, path::PathBuf, sync::Arc, time::Duration,
};

use async_trait::async_trait;
use futures_util::{StreamExt, stream};
use sayso_stores::doubles::Counted;
use sayso_turn::{
    Bot, Engine, Key, Limits, Ttl, Turn,
    activity::Activity,
    channel::{Channel, Delivery, Parcel},
    clock::Timestamp,
    store::{Expect, Saved, Store, Write},
};

/// Calls by name, since the beginning.
pub(crate) type Calls = BTreeMap<String, f64>;

/// Counts them.
pub(crate) type Count<'a> = &'a (dyn Fn() -> Calls + Sync);

const TURNS: u32 = 10;
/// As the sweep asks.
const PAGE: usize = 500;
/// Documents that are not due, when looks are compared.
const IDLE: [u32; 2] = [50, 500];
/// A time that no test reaches.
const LATER: Timestamp = Timestamp::from_millis(9_000_000_000_000);
const TTL: Duration = Duration::from_secs(30 * 24 * 3600);
const BEGIN: &str = ": written by the tests, see SAYSO_WRITE_COSTS -->\n";
const END: &str = "<!-- end of what was measured -->\n";

/// Takes every reply.
#[derive(Debug)]
struct Takes;

#[async_trait]
impl Channel for Takes {
    async fn deliver(&self, _parcel: &Parcel) -> Delivery {
        Delivery::Delivered { id: None }
    }
}

fn bot() -> Bot {
    Bot::new().on_message(async |mut turn: Turn| {
        *turn.state().named::<u32>("count")? += 1;
        turn.say("Thank you, that is one more.");
        Ok(())
    })
}

fn message(conversation: &str, id: u32) -> Activity {
    let json = format!(
        r#"{{"type":"message","id":"{id:04}","channelId":"test","serviceUrl":"http://127.0.0.1/",
            "conversation":{{"id":"{conversation}"}},"from":{{"id":"u"}},"recipient":{{"id":"bot"}},
            "text":"one more"}}"#
    );
    Activity::from_json(json.as_bytes()).unwrap()
}

/// Waits, for half a minute at most.
async fn until(is_so: impl Fn() -> bool) {
    for _ in 0..3_000 {
        if is_so() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("it does not come to an end");
}

/// Waits until nothing was called for a while: some calls are made in the background.
async fn settled(calls: Count<'_>) -> Calls {
    let (mut last, mut quiet) = (calls(), 0);
    for _ in 0..3_000 {
        tokio::time::sleep(Duration::from_millis(10)).await;
        let now = calls();
        quiet = if now == last { quiet + 1 } else { 0 };
        last = now;
        if quiet == 30 {
            return last;
        }
    }
    panic!("calls go on and on");
}

fn difference(after: &Calls, before: &Calls) -> Calls {
    let before = |name: &String| before.get(name).copied().unwrap_or_default();
    let calls = after.iter().map(|(name, count)| (name.clone(), count - before(name)));
    calls.filter(|(_, count)| *count > 0.0).collect()
}

/// Calls of a turn long after the last one: the turn, and the record that its reply was handed
/// over. And the bytes of the documents that it writes.
async fn turn(store: &Arc<dyn Store>, calls: Count<'_>, ttl: Option<Duration>) -> (Calls, u64) {
    let counted = Arc::new(Counted::new(Arc::clone(store)));
    let limits = Limits {
        // One look at the start, and none while turns are counted.
        sweep_every: Duration::from_secs(24 * 3600),
        ttl: Ttl { conversation: ttl, ..Ttl::default() },
        ..Limits::default()
    };
    let on = Arc::clone(&counted) as Arc<dyn Store>;
    let engine = Engine::builder(bot(), on, Arc::new(Takes)).limits(limits).start();
    until(|| engine.stats().looks == 1).await;
    let conversation = if ttl.is_some() { "expires" } else { "stays" };
    let mut before = (Calls::new(), 0);
    for number in 0..=TURNS {
        if number == 1 {
            before = (settled(calls).await, counted.counts().bytes_saved);
        }
        let commits = engine.stats().commits;
        engine.receive(message(conversation, number)).await.unwrap();
        until(|| engine.stats().commits == commits + 2).await;
    }
    let mut cost = difference(&settled(calls).await, &before.0);
    cost.values_mut().for_each(|count| *count /= f64::from(TURNS));
    let bytes = (counted.counts().bytes_saved - before.1) / u64::from(TURNS);
    engine.close(Duration::from_secs(5)).await;
    (cost, bytes)
}

/// Looks to the end and counts.
async fn look(store: &dyn Store, calls: Count<'_>) -> Calls {
    let before = settled(calls).await;
    let mut from = None;
    for _ in 0..100 {
        let page = store.due(Timestamp::from_millis(1_000), from.as_ref(), PAGE).await.unwrap();
        assert_eq!(page.found, [], "nothing is due");
        from = page.next;
        if from.is_none() {
            return difference(&settled(calls).await, &before);
        }
    }
    panic!("the look does not end");
}

/// Calls of a look that finds nothing, which do not grow with what is not due.
async fn empty_look(store: &dyn Store, calls: Count<'_>) -> Calls {
    let (mut made, mut costs) = (0, Vec::new());
    for count in IDLE {
        let saves = (made..count).map(|number| {
            let key = Key::new(format!("test/idle/{number}")).unwrap();
            let due = (number % 2 == 0).then_some(LATER);
            let write = Write {
                key,
                expect: Expect::Absent,
                body: "{}".into(),
                due,
                expires: None,
                participants: None,
            };
            async move { assert!(matches!(store.save(write).await, Ok(Saved::Committed(_)))) }
        });
        stream::iter(saves).buffer_unordered(16).collect::<()>().await;
        made = count;
        costs.push(look(store, calls).await);
    }
    let names: Vec<Vec<&String>> = costs.iter().map(|cost| cost.keys().collect()).collect();
    assert_eq!(names[0], names[1], "{costs:?}");
    assert_eq!(shown(&costs[0], 1.0), shown(&costs[1], 1.0), "a look grows with idle documents");
    costs.remove(0)
}

/// `3 × PUT, 1 × DELETE`, each so many times. Request units are an estimate.
fn shown(calls: &Calls, times: f64) -> String {
    let shown = calls.iter().map(|(name, count)| {
        let count = count * times;
        match name.as_str() {
            "RU" => format!("about {} RU", grouped(count)),
            _ if (count - count.round()).abs() < 0.01 => format!("{} × {name}", grouped(count)),
            _ => format!("{count:.1} × {name}"),
        }
    });
    shown.collect::<Vec<_>>().join(", ")
}

/// A whole number, with commas.
fn grouped(count: f64) -> String {
    let digits = format!("{count:.0}");
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Measures a store, and compares the numbers with those in a page of `docs/engines`. `calls`
/// counts what the store sends to its server.
pub(crate) async fn check(page: &str, store: Arc<dyn Store>, calls: Count<'_>) {
    check_with(page, "", store, calls).await;
}

/// The same of a store with a setting that has a table of its own.
pub(crate) async fn check_with(page: &str, setting: &str, store: Arc<dyn Store>, calls: Count<'_>) {
    let (stays, bytes) = turn(&store, calls, None).await;
    let (expires, _) = turn(&store, calls, Some(TTL)).await;
    let look = empty_look(&*store, calls).await;
    let hour = Duration::from_secs(3600).div_duration_f64(Limits::default().sweep_every);
    let table = format!(
        "| measured{setting} | calls |\n|---|---|\n\
         | a turn at human pace: the turn, then the record of its hand-over | {} |\n\
         | the same with a time to live of 30 days | {} |\n\
         | a look when nothing is due, with {} documents that are not due or with {} | {} |\n\
         | an instance at rest, in an hour | {} |\n\n\
         Such a turn writes its document twice, {:.1} KiB in all.\n{END}",
        shown(&stays, 1.0),
        shown(&expires, 1.0),
        IDLE[0],
        IDLE[1],
        shown(&look, 1.0),
        shown(&look, hour),
        bytes as f64 / 1024.0,
    );
    writeln!(std::io::stdout(), "{page}\n{table}").unwrap();
    compare(page, &format!("<!-- measured{setting}{BEGIN}"), &table);
}

fn compare(page: &str, begin: &str, table: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/engines").join(page);
    let text = fs::read_to_string(&path).unwrap();
    let (before, rest) = text.split_once(begin).expect("the page has a place for the table");
    let (_, after) = rest.split_once(END).expect("the table has an end");
    let written = format!("{before}{begin}{table}{after}");
    if env::var_os("SAYSO_WRITE_COSTS").is_some() {
        fs::write(&path, written).unwrap();
    } else {
        assert!(
            written == text,
            "docs/engines/{page} has other numbers than these; run this test with \
             SAYSO_WRITE_COSTS=1 if they are meant\n{table}"
        );
    }
}
