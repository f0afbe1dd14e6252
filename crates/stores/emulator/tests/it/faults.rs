//! Faults inside the client library: the store's errors, the effect, and the number of attempts.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use azure_core::http::StatusCode;
use azure_data_cosmos::fault_injection::{
    CustomResponseBuilder, FaultInjectionErrorType as Fault, FaultInjectionResult,
    FaultInjectionResultBuilder, FaultInjectionRule, FaultOperationType as On,
};
use sayso_stores::CosmosStore;
use sayso_turn::store::{Error, Saved, Store};
use tokio::task::JoinSet;

use super::scene::{
    committed, create, fault, fault_named, fault_once, key, replace, store, stored,
};

/// Much longer than any call may take.
const SOON: Duration = Duration::from_secs(15);

fn failing(error: Fault) -> FaultInjectionResult {
    FaultInjectionResultBuilder::new().with_error(error).build()
}

fn answering(status: u16, sub_status: u16) -> FaultInjectionResult {
    let answer = CustomResponseBuilder::new(StatusCode::from(status))
        .with_sub_status(sub_status)
        .with_header("x-ms-retry-after-ms", "1234");
    FaultInjectionResultBuilder::new().with_custom_response(answer.build()).build()
}

fn kind(error: &Error) -> &'static str {
    match error {
        Error::Unknown { .. } => "unknown",
        Error::Throttled { .. } => "throttled",
        Error::Unavailable { .. } => "unavailable",
        Error::Invalid { .. } => "invalid",
        Error::Corrupt { .. } => "corrupt",
        Error::TooLarge { .. } => "too large",
        _ => "another",
    }
}

/// Creates, replaces and deletes under a permanent fault. Each ends soon and with an error of that
/// kind; nothing happened; and the write was sent `tries_max` times at most.
async fn writes_under(result: FaultInjectionResult, expected: &str, tries_max: u32) {
    let [on_create, on_replace, on_delete] =
        [On::CreateItem, On::ReplaceItem, On::DeleteItem].map(|on| fault(on, result.clone()));
    let store = store(&[&on_create, &on_replace, &on_delete]).await;

    let error = under(&on_create, tries_max, store.save(create("[1]"))).await;
    assert_eq!(kind(&error), expected, "{error:?}");
    assert_eq!(stored(&store).await, None, "create: {error}");

    let etag = committed(store.save(create("[1]")).await.unwrap());
    let error = under(&on_replace, tries_max, store.save(replace(&etag, "[2]"))).await;
    assert_eq!(kind(&error), expected, "{error:?}");
    assert_eq!(stored(&store).await.as_deref(), Some("[1]"), "replace: {error}");

    let error = under(&on_delete, tries_max, store.delete(&key(), &etag)).await;
    assert_eq!(kind(&error), expected, "{error:?}");
    assert_eq!(stored(&store).await.as_deref(), Some("[1]"), "delete: {error}");
}

async fn under<T: std::fmt::Debug>(
    fault: &Arc<FaultInjectionRule>,
    tries_max: u32,
    call: impl Future<Output = Result<T, Error>>,
) -> Error {
    fault.enable();
    let started = Instant::now();
    let error = call.await.unwrap_err();
    fault.disable();
    assert!(started.elapsed() < SOON, "{:?} for {error}", started.elapsed());
    let tries = fault.hit_count();
    assert!((1..=tries_max).contains(&tries), "{tries} tries: {error}");
    error
}

#[tokio::test]
async fn a_write_whose_answer_is_lost_is_recognised_and_no_conflict_with_itself() {
    let [on_create, on_replace, on_delete] = [On::CreateItem, On::ReplaceItem, On::DeleteItem]
        .map(|on| fault(on, failing(Fault::ResponseTimeoutAfterService)));
    let store = store(&[&on_create, &on_replace, &on_delete]).await;
    on_create.enable();
    on_replace.enable();
    on_delete.enable();
    // The library sends it again, and the service says that it is there.
    let etag = committed(store.save(create("[1]")).await.unwrap());
    let found = store.load(&key()).await.unwrap().unwrap();
    assert_eq!((found.body.as_str(), &found.etag), ("[1]", &etag));
    let etag = committed(store.save(replace(&etag, "[2]")).await.unwrap());
    let found = store.load(&key()).await.unwrap().unwrap();
    assert_eq!((found.body.as_str(), &found.etag), ("[2]", &etag));
    assert_eq!((on_create.hit_count(), on_replace.hit_count()), (1, 1), "both answers were lost");

    // Somebody else's create, and a save on an old version, are conflicts also now.
    assert_eq!(store.save(create("[3]")).await.unwrap(), Saved::Conflict);

    // Who deleted it nobody can tell.
    let error = store.delete(&key(), &etag).await.unwrap_err();
    assert_eq!(kind(&error), "unknown", "{error:?}");
    assert_eq!(stored(&store).await, None);
}

#[tokio::test]
async fn a_write_without_an_answer_is_unknown() {
    writes_under(failing(Fault::ResponseTimeout), "unknown", 2).await;
}

#[tokio::test]
async fn a_write_that_the_service_could_not_finish_is_unknown() {
    writes_under(failing(Fault::Timeout), "unknown", 1).await;
    writes_under(failing(Fault::ServiceUnavailable), "unknown", 1).await;
    writes_under(failing(Fault::InternalServerError), "unknown", 1).await;
}

#[tokio::test]
async fn a_write_that_was_never_sent_did_not_happen() {
    writes_under(failing(Fault::ConnectionError), "unavailable", 2).await;
}

#[tokio::test]
async fn a_throttled_write_names_the_wait_and_is_not_tried_again() {
    writes_under(answering(429, 3200), "throttled", 1).await;
    let on_create = fault(On::CreateItem, answering(429, 3200));
    let store = store(&[&on_create]).await;
    let error = under(&on_create, 1, store.save(create("{}"))).await;
    assert_eq!(error.retry_after(), Some(Duration::from_millis(1234)));
}

#[tokio::test]
async fn a_write_that_broke_and_was_throttled_when_sent_again_is_unknown() {
    let lost = fault_once(On::CreateItem, failing(Fault::ResponseTimeoutAfterService));
    let then = fault_named("then", On::CreateItem, answering(429, 3200));
    let store = store(&[&lost, &then]).await;
    let error = under(&then, 1, store.save(create("[1]"))).await;
    assert_eq!(lost.hit_count(), 1);
    assert_eq!(kind(&error), "unknown", "{error:?}");
    assert_eq!(stored(&store).await.as_deref(), Some("[1]"), "it had landed");
}

#[tokio::test]
async fn a_refused_write_says_what_to_do() {
    // The store is open: somebody is changing the key or the role.
    writes_under(answering(401, 0), "unavailable", 1).await;
    let on_create = fault(On::CreateItem, answering(403, 5300));
    let store = store(&[&on_create]).await;
    let error = under(&on_create, 1, store.save(create("{}"))).await;
    assert_eq!(kind(&error), "unavailable");
    assert!(error.to_string().contains("check the account key, or the role"), "{error}");
}

#[tokio::test]
async fn a_write_that_the_service_finds_too_large_is_too_large() {
    let on_create = fault(On::CreateItem, answering(413, 0));
    let store = store(&[&on_create]).await;
    let error = under(&on_create, 1, store.save(create("{}"))).await;
    assert_eq!(kind(&error), "too large");
}

#[tokio::test]
async fn a_write_amid_others_is_tried_again_by_the_library_and_ends() {
    let lasting = fault(On::ReplaceItem, failing(Fault::RetryWith));
    let once = fault_once(On::CreateItem, failing(Fault::RetryWith));
    let store = store(&[&once, &lasting]).await;
    let etag = committed(store.save(create("[1]")).await.unwrap());
    assert_eq!(once.hit_count(), 1);

    let error = under(&lasting, 1_000, store.save(replace(&etag, "[2]"))).await;
    assert_eq!(kind(&error), "unavailable", "{error:?}");
    assert_eq!(stored(&store).await.as_deref(), Some("[1]"));
}

#[tokio::test]
async fn a_read_that_fails_is_unavailable_or_throttled() {
    for (result, expected) in [
        (failing(Fault::ServiceUnavailable), "unavailable"),
        (failing(Fault::ConnectionError), "unavailable"),
        (failing(Fault::ResponseTimeout), "unavailable"),
        (failing(Fault::ReadSessionNotAvailable), "unavailable"),
        (answering(429, 3200), "throttled"),
        (answering(404, 1003), "invalid"),
    ] {
        let on_read = fault(On::ReadItem, result);
        let store = store(&[&on_read]).await;
        let _etag = committed(store.save(create("{}")).await.unwrap());
        let error = under(&on_read, 10, store.load(&key())).await;
        assert_eq!(kind(&error), expected, "{error:?}");
        assert_eq!(stored(&store).await.as_deref(), Some("{}"));
    }
}

#[tokio::test]
async fn a_query_that_fails_is_an_error_and_not_an_empty_answer() {
    for (result, expected) in
        [(failing(Fault::ServiceUnavailable), "unavailable"), (answering(429, 3200), "throttled")]
    {
        let on_query = fault(On::QueryItem, result);
        let store = store(&[&on_query]).await;
        let now = sayso_turn::clock::Timestamp::START;
        let error = under(&on_query, 20, store.due(now, None, 9)).await;
        assert_eq!(kind(&error), expected, "{error:?}");
        assert_eq!(store.due(now, None, 9).await.unwrap().found, []);
    }
}

#[tokio::test]
async fn increments_all_count_once_though_every_fifth_answer_is_lost() {
    const WRITERS: u32 = 4;
    const INCREMENTS: u32 = 15;
    let lost = FaultInjectionResultBuilder::new()
        .with_error(Fault::ResponseTimeoutAfterService)
        .with_probability(0.2)
        .build();
    let on_replace = fault(On::ReplaceItem, lost);
    let store = Arc::new(store(&[&on_replace]).await);
    let _etag = committed(store.save(create("[]")).await.unwrap());
    on_replace.enable();
    let mut writers = JoinSet::new();
    for writer in 0..WRITERS {
        let store = Arc::clone(&store);
        let _task = writers.spawn(async move {
            for number in 0..INCREMENTS {
                increment(&store, writer * INCREMENTS + number).await;
            }
        });
    }
    drop(writers.join_all().await);
    let body = stored(&store).await.unwrap();
    let mut numbers: Vec<u32> = serde_json::from_str(&body).unwrap();
    numbers.sort_unstable();
    assert_eq!(numbers, (0..WRITERS * INCREMENTS).collect::<Vec<_>>(), "each once");
    assert!(on_replace.hit_count() > 0, "no answer was lost");
}

/// Adds a number, as the engine does it: on conflict from the start, on doubt after a load.
async fn increment(store: &CosmosStore, number: u32) {
    for _ in 0..1_000 {
        let found = store.load(&key()).await.unwrap().unwrap();
        let mut numbers: Vec<u32> = serde_json::from_str(&found.body).unwrap();
        if numbers.contains(&number) {
            return;
        }
        numbers.push(number);
        let body = serde_json::to_string(&numbers).unwrap();
        match store.save(replace(&found.etag, &body)).await {
            Ok(Saved::Committed(_)) => return,
            Ok(Saved::Conflict) | Err(Error::Unknown { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
    panic!("no end after 1,000 rounds");
}
