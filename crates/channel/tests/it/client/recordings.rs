//! Exchanges with real channels, recorded with another client: this client sends the same requests
//! and parses the answers.

use std::{collections::BTreeMap, fs, path::Path};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::Deserialize;

use super::exchange::Exchange;

/// A file of recordings.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Record {
    entries: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Entry {
    request_method: String,
    request_uri: String,
    request_body: Option<String>,
    status_code: u16,
    response_body: Option<String>,
    response_headers: BTreeMap<String, Vec<String>>,
}

impl Entry {
    fn exchange(self) -> Exchange {
        let kind = self.response_headers.get("Content-Type").map(|kinds| kinds[0].clone());
        let kind = kind.unwrap_or_default();
        let answer = self.response_body.unwrap_or_default();
        let is_file = !kind.is_empty() && !kind.contains("json");
        let body = self.request_body.filter(|body| !body.is_empty());
        Exchange {
            method: self.request_method,
            path: self.request_uri,
            body: body.map(|body| serde_json::from_str(&body).unwrap()),
            status: self.status_code,
            bytes: is_file.then(|| STANDARD.decode(&answer).unwrap()),
            answer,
            content_type: kind,
        }
    }
}

#[tokio::test]
#[expect(clippy::print_stdout, reason = "the count is for people to read")]
async fn recorded_exchanges_are_repeated_and_understood() {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/specs/recordings/connector");
    if !folder.exists() {
        return; // The exchanges of our own, below, are always there.
    }
    let (mut files, mut exchanges) = (0, BTreeMap::<String, usize>::new());
    for file in fs::read_dir(folder).unwrap() {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        let record: Record = serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap();
        files += 1;
        for entry in record.entries {
            let exchange = entry.exchange();
            exchange.replay().await;
            *exchanges.entry(format!("{} {}", exchange.method, exchange.status)).or_default() += 1;
        }
    }
    let count: usize = exchanges.values().sum();
    println!("{count} recorded exchanges of {files} files replayed: {exchanges:?}");
    assert!(files >= 60 && count >= 100, "only {count} exchanges of {files} files");
}

#[tokio::test]
async fn exchanges_of_every_sort_are_made_and_understood() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/exchanges.json");
    let exchanges: Vec<Exchange> = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    assert!(exchanges.len() >= 30, "only {}", exchanges.len());
    for exchange in exchanges {
        exchange.replay().await;
    }
}
