//! Requests compared with those of the JavaScript SDK's client.

use std::{collections::BTreeSet, path::PathBuf, process::Stdio};

use tokio::{process::Command, time::timeout};

use super::exchange::Exchange;
use crate::support::{
    PATIENCE,
    sink::{Act, Posted, Sink},
};

#[tokio::test]
async fn our_requests_are_those_of_the_javascript_sdk() {
    let mut sink =
        Sink::start(Act::answer("200 OK", &["content-type: application/json"], "[]")).await;
    let made = run(&sink.url()).await;
    let mut calls = BTreeSet::new();
    for name in &made {
        let posted = sink.came().unwrap_or_else(|| panic!("{name} made no request"));
        let exchange = exchange(&posted);
        // The call is found by the path of the request, and must then make the same request.
        exchange.replay().await;
        calls.insert(name.as_str());
    }
    assert!(sink.came().is_none(), "the SDK made more requests than calls");
    assert_eq!((made.len(), calls.len()), (17, 15), "{made:?}");
}

/// The SDK's request, with a suitable answer.
fn exchange(posted: &Posted) -> Exchange {
    let (method, path) = posted.line().split_once(' ').unwrap();
    let path = path.strip_prefix("/_connector").unwrap().to_owned();
    let is_file = path.contains("/views/");
    let answer = match path.split('?').next().unwrap() {
        path if path.ends_with("/members") => "[]",
        path if path.contains("/attachments/") => r#"{"name":"n"}"#,
        _ => r#"{"id":"x"}"#,
    };
    Exchange {
        method: method.to_owned(),
        body: (!posted.body.is_empty()).then(|| posted.json()),
        status: 200,
        answer: answer.to_owned(),
        content_type: "application/octet-stream".to_owned(),
        bytes: is_file.then(|| vec![0, 255, b'{']),
        path,
    }
}

/// Runs the SDK's client, and returns the names of its calls.
async fn run(service_url: &str) -> Vec<String> {
    let output = Command::new("node")
        .env("NODE_PATH", installed().join("node_modules"))
        .arg(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/sdk/connector.js"))
        .arg(service_url)
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let output = timeout(PATIENCE * 3, output).await.expect("the SDK's client ends");
    let output = output.expect("node is installed: crates/stores/tests/sdk/install does it");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    serde_json::from_slice(&output.stdout).expect("the script prints what it did")
}

/// Folder in which the SDKs are installed.
pub(crate) fn installed() -> PathBuf {
    let home =
        || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache/sayso-servers"));
    let cache = std::env::var_os("SAYSO_SERVERS_CACHE").map(PathBuf::from).or_else(home);
    let folder = cache.expect("there is a HOME").join("sdk");
    let is_there = folder.join("node_modules/botframework-connector").exists();
    assert!(is_there, "the SDKs are not installed: run scripts/setup");
    folder
}
