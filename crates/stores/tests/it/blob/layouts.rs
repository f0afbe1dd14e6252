//! Containers of the Bot Framework SDKs: their names and bodies are read, and written back in their
//! form.

use azure_core::Bytes;
use azure_storage_blob::models::BlobClientGetPropertiesResultHeaders as _;
use futures_util::{StreamExt as _, TryStreamExt as _};
use sayso_stores::{BlobStore, Layout};
use sayso_turn::{
    Key,
    activity::Raw,
    clock::Timestamp,
    document::Document,
    store::{Error, Expect, Saved, Store, Write},
};

use super::{config, key, open, save, write};

const LAYOUTS: [Layout; 4] = [Layout::Dotnet, Layout::Js, Layout::Python, Layout::Sample];

async fn put(store: &BlobStore, name: &str, body: &str) {
    let body = Bytes::from(body.to_owned()).into();
    let _answer = store.client().blob_client(name).upload(body, None).await.unwrap();
}

async fn text(store: &BlobStore, name: &str) -> String {
    let answer = store.client().blob_client(name).download(None).await.unwrap();
    String::from_utf8(answer.body.collect().await.unwrap().into()).unwrap()
}

/// Loads a document, sets a property and its ledger, saves it as due, and gives its text as stored.
async fn change(store: &BlobStore, key: &Key, name: &str, property: (&str, &str)) -> String {
    let stored = store.load(key).await.unwrap().expect("the SDK's document is found");
    let mut document = Document::parse(key, &stored.body).unwrap();
    assert_eq!(document.ledger.turn, 0, "an SDK knows nothing of our turns");
    let (own, value) = property;
    document.bag.set_raw(own, Raw::from_text(value.to_owned()).unwrap());
    document.ledger.turn = 7;
    let put = Write {
        due: Some(Timestamp::START),
        ..write(key.as_str(), Expect::At(stored.etag), &document.to_json())
    };
    let etag = save(store, put).await;
    let due = store.due(Timestamp::START, None, 9).await.unwrap().found;
    assert_eq!(due.iter().map(|due| (&due.key, &due.etag)).collect::<Vec<_>>(), [(key, &etag)]);
    let again = Document::parse(key, &store.load(key).await.unwrap().unwrap().body).unwrap();
    assert_eq!(again.ledger.turn, 7);
    assert_eq!(again.bag.get_raw(own).unwrap().as_str(), value);
    let keys: Vec<Key> = store.list("test/").try_collect().await.unwrap();
    assert_eq!(keys, std::slice::from_ref(key));
    text(store, name).await
}

#[tokio::test]
async fn state_of_the_dotnet_sdk_keeps_its_types() {
    let store = open(config().with_layout(Layout::Dotnet)).await;
    let name = "test%2fconversations%2fc+1%3a%c3%a9";
    put(&store, name, r#"{"$type":"System.Collections.Generic.Dictionary`2[[System.String, System.Private.CoreLib],[System.Object, System.Private.CoreLib]], System.Private.CoreLib","order":{"$type":"Pizza.Order, Pizza","Toppings":{"$type":"System.Collections.Generic.List`1[[System.String, System.Private.CoreLib]], System.Private.CoreLib","$values":["žampiony"]}}}"#).await;
    let order = ("order", r#"{"Toppings":["žampiony","ham"]}"#);
    let text = change(&store, &key("test/conversations/c 1:é"), name, order).await;
    assert!(text.starts_with(r#"{"$type":"System.Collections.Generic.Dictionary`2[["#), "{text}");
    assert!(text.contains(r#""order":{"$type":"Pizza.Order, Pizza","Toppings":{"$type":"System.Collections.Generic.List`1[[System.String, System.Private.CoreLib]], System.Private.CoreLib","$values":["žampiony","ham"]}}"#), "{text}");
    assert!(text.contains(r#""$sayso":"{\"v\":1,"#) && !text.contains("$layout"), "{text}");
}

#[tokio::test]
async fn state_of_the_javascript_sdks_old_storage_stays_wrapped() {
    let store = open(config().with_layout(Layout::Js)).await;
    let name = "test%2Fconversations%2FConvo1";
    put(&store, name, r#"{"id":"test%2Fconversations%2FConvo1","realId":"test/conversations/Convo1/","document":{"dialogState":{"dialogStack":[{"id":"waterfall","state":{"stepIndex":1}}]},"eTag":"*"}}"#).await;
    let text = change(&store, &key("test/conversations/Convo1"), name, ("n", "1")).await;
    let start = r#"{"id":"test%2Fconversations%2FConvo1","realId":"test/conversations/Convo1/","document":{"dialogState":{"dialogStack":[{"id":"waterfall","state":{"stepIndex":1}}]},"n":1,"$sayso":"#;
    assert!(text.starts_with(start), "{text}");
}

#[tokio::test]
async fn state_of_the_sample_is_read_and_written() {
    let store = open(config().with_layout(Layout::Sample)).await;
    let name = "test/conversations/c|1 é";
    put(&store, name, "{\r\n  \"DialogState\": {\r\n    \"$type\": \"Microsoft.Bot.Builder.Dialogs.DialogState, Microsoft.Bot.Builder.Dialogs\",\r\n    \"dialogStack\": []\r\n  }\r\n}").await;
    let text = change(&store, &key(name), name, ("n", "1")).await;
    assert!(text.starts_with(r#"{"DialogState":{"$type":"Microsoft.Bot.Builder.Dialogs.DialogState, Microsoft.Bot.Builder.Dialogs","dialogStack":[]},"n":1,"$sayso":"#), "{text}");
}

#[tokio::test]
async fn the_python_sdks_private_state_has_its_slash() {
    let store = open(config().with_layout(Layout::Python)).await;
    let name = "test/conversations/c/users/u/";
    put(&store, name, r#"{"p": {"py/object": "__main__.P", "n": 1}, "e_tag": "0x1"}"#).await;
    let text =
        change(&store, &key("test/conversations/c/users/u"), name, ("p", r#"{"n":2}"#)).await;
    assert!(text.starts_with(r#"{"p":{"py/object":"__main__.P","n":2},"$sayso":"#), "{text}");
}

#[tokio::test]
async fn what_an_sdk_cut_off_or_broke_is_reported_and_left_as_it_is() {
    for layout in LAYOUTS {
        let store = open(config().with_layout(layout)).await;
        for (name, body) in [("cut", "{\"a\":\"é"), ("list", "[]"), ("empty", "")] {
            put(&store, name, body).await;
            let error = store.load(&key(name)).await.unwrap_err();
            assert!(matches!(error, Error::Corrupt { .. }), "{layout} {name}: {error:?}");
            let saved = store.save(write(name, Expect::Absent, "{}")).await.unwrap();
            assert_eq!(saved, Saved::Conflict);
            assert_eq!(text(&store, name).await, body);
        }
    }
}

#[tokio::test]
async fn two_keys_to_which_javascript_gives_one_name_never_share_a_document() {
    let store = open(config().with_layout(Layout::Js)).await;
    let _etag = save(&store, write("test/conversations/a/b", Expect::Absent, "{\"n\":1}")).await;
    let other = key("test/conversations/a//b");
    let taken = store.save(write(other.as_str(), Expect::Absent, "{\"n\":2}")).await.unwrap();
    assert_eq!(taken, Saved::Conflict);
    let error = store.load(&other).await.unwrap_err();
    assert!(matches!(error, Error::Corrupt { .. }), "{error:?}");
    assert!(error.to_string().contains("another key"), "{error}");
    // Names are cut, too.
    let long = |end: &str| key(&format!("test/conversations/{}{end}", "é".repeat(400)));
    let _etag = save(&store, write(long("a").as_str(), Expect::Absent, "{}")).await;
    assert!(matches!(store.load(&long("b")).await, Err(Error::Corrupt { .. })));
    assert!(store.load(&long("a")).await.unwrap().is_some());
    let mut keys: Vec<Key> = store.list("test/").try_collect().await.unwrap();
    keys.sort();
    assert_eq!(keys, [key("test/conversations/a/b"), long("a")], "ours remember their keys");
}

#[tokio::test]
async fn a_cut_name_of_the_javascript_sdk_is_found_by_its_key_and_listed_as_unknown() {
    let store = open(config().with_layout(Layout::Js)).await;
    let long = key(&format!("test/conversations/{}", "é".repeat(400)));
    let name: String = format!("test%2Fconversations%2F{}", "%C3%A9".repeat(400));
    put(&store, &name[..1024], "{\"n\":1}").await;
    assert_eq!(store.load(&long).await.unwrap().unwrap().body, "{\"n\":1}");
    let listed: Vec<_> = store.list("test/").collect().await;
    assert!(matches!(listed.as_slice(), [Err(Error::Corrupt { .. })]), "{listed:?}");
    assert!(store.list("other/").collect::<Vec<_>>().await.is_empty());
}

#[tokio::test]
async fn a_key_without_a_name_and_a_type_of_somebody_elses_are_refused() {
    for layout in LAYOUTS {
        let store = open(config().with_layout(layout)).await;
        let error = store.load(&key("..")).await.unwrap_err();
        assert!(matches!(error, Error::Invalid { .. }), "{layout}: {error:?}");
        let body = r#"{"a":{"$type":"Evil, Evil","py/object":"evil.Evil"}}"#;
        let saved = store.save(write("k", Expect::Absent, body)).await;
        match layout {
            Layout::Js => assert!(matches!(saved, Ok(Saved::Committed(_)))),
            _ => assert!(matches!(saved, Err(Error::Invalid { .. })), "{layout}: {saved:?}"),
        }
    }
}

#[tokio::test]
async fn a_blob_of_every_layout_says_that_it_is_json() {
    for layout in LAYOUTS {
        let store = open(config().with_layout(layout)).await;
        let _etag = save(&store, write("k", Expect::Absent, "{}")).await;
        let properties = store.client().blob_client("k").get_properties(None).await.unwrap();
        assert_eq!(properties.content_type().unwrap().as_deref(), Some("application/json"));
    }
}
