//! Valid JSON that is not a valid activity.

use serde_json::{Value, json};

use super::{Row, SECRET, activity, post};

pub(super) fn rows(url: &str) -> Vec<Row> {
    let mut rows = types(url);
    rows.extend(twice(url));
    rows.extend(ids(url));
    rows.extend(service_urls(url));
    rows.extend(nested(url));
    rows
}

fn row(name: impl Into<String>, body: &str) -> Row {
    Row { name: name.into(), bytes: post(body.as_bytes()), status: 400, code: "BadArgument" }
}

fn changed(url: &str, name: &str, changes: Value) -> Row {
    row(name, &activity(url, changes).to_string())
}

/// Members of the wrong type.
fn types(url: &str) -> Vec<Row> {
    let mut rows = Vec::new();
    let wrong = [json!(7), json!([SECRET]), json!({"a": SECRET}), json!(true), json!(1.5)];
    let texts = [
        "id",
        "timestamp",
        "localTimestamp",
        "localTimezone",
        "serviceUrl",
        "channelId",
        "type",
        "textFormat",
        "locale",
        "text",
        "speak",
        "inputHint",
        "replyToId",
        "deliveryMode",
        "name",
        "valueType",
        "label",
        "code",
    ];
    for (index, text) in texts.into_iter().enumerate() {
        for wrong in [&wrong[index % wrong.len()], &wrong[(index + 1) % wrong.len()]] {
            rows.push(changed(url, &format!("{text} is {wrong}"), json!({text: wrong})));
        }
    }
    for account in ["from", "recipient", "conversation"] {
        for wrong in [json!(SECRET), json!([{"id": SECRET}]), json!(7)] {
            rows.push(changed(url, &format!("{account} is {wrong}"), json!({account: wrong})));
        }
        for member in [json!({"id": 7}), json!({"id": [SECRET]}), json!({"id": "a", "name": {}})] {
            let name = format!("{account} has {member}");
            rows.push(changed(url, &name, json!({account: member})));
        }
    }
    for (member, value) in [
        ("conversation", json!({"id": "a", "isGroup": "yes"})),
        ("conversation", json!({"id": "a", "isGroup": 1})),
        ("conversation", json!({"id": "a", "tenantId": [SECRET]})),
        ("conversation", json!({"id": "a", "conversationType": 7})),
        ("conversation", json!({"id": true})),
        ("from", json!({"id": "a", "aadObjectId": 7})),
        ("from", json!({"id": "a", "role": ["bot"]})),
        ("attachments", json!({"contentType": "image/png"})),
        ("attachments", json!(SECRET)),
        ("attachments", json!([7])),
        ("attachments", json!([[]])),
        ("attachments", json!([{"contentType": 7}])),
        ("attachments", json!([{"contentType": "a/b", "contentUrl": [SECRET]}])),
        ("attachments", json!([{"contentType": "a/b", "name": {}}])),
        ("entities", json!({"type": "mention"})),
        ("entities", json!(SECRET)),
        ("membersAdded", json!({"id": "a"})),
        ("membersAdded", json!([SECRET])),
        ("membersAdded", json!([{"id": 7}])),
        ("membersRemoved", json!("a")),
        ("membersRemoved", json!([{"id": "a", "name": 7}])),
    ] {
        rows.push(changed(url, &format!("{member} as {value}"), json!({member: value})));
    }
    rows
}

/// Duplicate members: parsers differ in which of the two they use.
fn twice(url: &str) -> Vec<Row> {
    let good = activity(url, json!({})).to_string();
    let body = good.strip_suffix('}').unwrap();
    let mut rows: Vec<Row> = [
        ("type", json!("message")),
        ("type", json!("event")),
        ("id", json!("2")),
        ("text", json!(SECRET)),
        ("channelId", json!("msteams")),
        ("serviceUrl", json!("https://evil.example/")),
        ("from", json!({"id": "admin"})),
        ("recipient", json!({"id": "bot"})),
        ("conversation", json!({"id": SECRET})),
    ]
    .into_iter()
    .map(|(name, value)| {
        row(format!("{name} twice: {value}"), &format!("{body},\"{name}\":{value}}}"))
    })
    .collect();
    for (name, member) in [
        ("from.id twice", r#""from":{"id":"ann","id":"admin"}"#),
        ("conversation.id twice", r#""conversation":{"id":"a","id":"b"}"#),
        ("an attachment's url twice", r#""attachments":[{"contentUrl":"a","contentUrl":"b"}]"#),
        ("a new member's id twice", r#""membersAdded":[{"id":"a","id":"b"}]"#),
        ("an escaped name and a plain one", r#""text":"a","t\u0065xt":"b""#),
    ] {
        let good = activity(url, json!({"from": null, "conversation": null, "text": null}));
        let body = good.to_string();
        let body = body.strip_suffix('}').unwrap();
        rows.push(row(name, &format!("{body},{member}}}")));
    }
    rows
}

/// Ids that are invalid, or that would lead to another user's state.
fn ids(url: &str) -> Vec<Row> {
    let long = SECRET.repeat(500);
    let mut rows: Vec<Row> = [
        ("no type", json!({"type": null})),
        ("an empty type", json!({"type": ""})),
        ("no channel", json!({"channelId": null})),
        ("an empty channel", json!({"channelId": ""})),
        ("no conversation", json!({"conversation": null})),
        ("a conversation without an id", json!({"conversation": {}})),
        ("a conversation with a null id", json!({"conversation": {"id": null}})),
        ("an empty conversation", json!({"conversation": {"id": ""}})),
        ("a conversation of 3 KB", json!({"conversation": {"id": long}})),
        ("a channel of 3 KB", json!({"channelId": long})),
        ("a conversation of 3 KB of emoji", json!({"conversation": {"id": "🍕".repeat(800)}})),
        // The parts of a key are joined with slashes: these would be keys of other ids.
        ("a channel that is a path", json!({"channelId": "emulator/conversations/healthy"})),
        ("a channel with a slash", json!({"channelId": "a/b"})),
        ("a channel that climbs", json!({"channelId": "../emulator"})),
        (
            "a conversation that is a user's state in another",
            json!({"conversation": {"id": "healthy/users/ann"}}),
        ),
        ("a conversation that ends in users", json!({"conversation": {"id": "healthy/users"}})),
    ]
    .into_iter()
    .map(|(name, changes)| changed(url, name, changes))
    .collect();
    rows.push(row("nothing in it", "{}"));
    rows
}

/// Service URLs that replies must never go to (SSRF).
fn service_urls(url: &str) -> Vec<Row> {
    let port = url.rsplit(':').next().and_then(|rest| rest.split('/').next()).unwrap();
    let mut urls: Vec<String> = [
        "https://c4n4ry.example/",
        "http://c4n4ry.example/",
        "http://169.254.169.254/latest/meta-data/",
        "http://metadata.google.internal/",
        "http://168.63.129.16/",
        "http://10.0.0.1/",
        "http://172.16.0.1/",
        "http://192.168.0.1/",
        "http://100.64.0.1/",
        "http://0.0.0.0/",
        "http://[::]/",
        "http://[fe80::1]/",
        "http://[fd00::1]/",
        "http://[::ffff:169.254.169.254]/",
        "http://localhost.c4n4ry.example/",
        "http://127.0.0.1.c4n4ry.example/",
        "http://a.localhost/",
        "http://localhost./",
        "//localhost/",
        "localhost:3978",
        "ftp://localhost/",
        "file:///etc/passwd",
        "gopher://localhost/",
        "data:text/plain,c4n4ry",
        "javascript:c4n4ry",
        "unix:/var/run/docker.sock",
        "c4n4ry",
        " ",
        "http://",
    ]
    .map(str::to_owned)
    .into();
    // The valid one, written so that another parser could see another host.
    for at in ["c4n4ry@", ":c4n4ry@", "c4n4ry:c4n4ry@", "c4n4ry.example\\@"] {
        urls.push(format!("http://{at}127.0.0.1:{port}/_connector"));
    }
    for end in ["?c4n4ry", "#c4n4ry", "?", "/..%2f..%2fc4n4ry", "/..%5cc4n4ry"] {
        urls.push(format!("http://127.0.0.1:{port}/_connector{end}"));
    }
    let mut rows: Vec<Row> = urls
        .iter()
        .map(|evil| changed(url, &format!("serviceUrl {evil}"), json!({"serviceUrl": evil})))
        .collect();
    for (name, changes) in [
        ("no serviceUrl", json!({"serviceUrl": null})),
        ("an empty serviceUrl", json!({"serviceUrl": ""})),
        ("no serviceUrl, for an invoke", json!({"serviceUrl": null, "type": "invoke"})),
        ("no serviceUrl, for what nobody handles", json!({"serviceUrl": null, "type": "x"})),
        ("a mode in other case", json!({"serviceUrl": null, "deliveryMode": "ExpectReplies"})),
        (
            "a foreign serviceUrl, replies in the answer",
            json!({"serviceUrl": "https://c4n4ry.example", "deliveryMode": "expectReplies"}),
        ),
    ] {
        rows.push(changed(url, name, changes));
    }
    rows
}

/// Values that are nested too deep.
fn nested(url: &str) -> Vec<Row> {
    let good = activity(url, json!({})).to_string();
    let body = good.strip_suffix('}').unwrap();
    let lists = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    let objects = |levels: usize| format!("{}1{}", "{\"a\":".repeat(levels), "}".repeat(levels));
    let mut rows = Vec::new();
    for member in ["value", "channelData", "suggestedActions", "relatesTo", "madeUp"] {
        let text = format!("{body},\"{member}\":{}}}", lists(32));
        rows.push(row(format!("{member} of 33 levels"), &text));
    }
    for (name, value) in [
        ("objects of 33 levels", objects(32)),
        ("objects of 20,000 levels", objects(20_000)),
        ("lists of 100,000 levels", lists(100_000)),
        ("lists that never close", "[".repeat(100_000)),
        ("a card of 33 levels", format!("[{{\"content\":{}}}]", lists(30))),
    ] {
        rows.push(row(name, &format!("{body},\"attachments\":{value}}}")));
    }
    rows
}
