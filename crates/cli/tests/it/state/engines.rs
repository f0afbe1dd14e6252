//! Every engine behind `--store`: state moves in, a bot goes on with it, and it moves out again.
//!
//! Real servers, each behind its feature. The URLs are isolated by name, so tests share a server.

use std::time::{SystemTime, UNIX_EPOCH};

use tokio::time::timeout;

use super::*;
use crate::process::{STEP_MAX, sayso};

/// An engine under test: its URL, and what the command needs in its environment.
struct Engine {
    url: String,
    environment: Vec<(&'static str, String)>,
    /// True if bodies come back to the letter. In the layout of another SDK they are the same JSON.
    is_exact: bool,
}

/// The value for a server that the test command starts.
fn server(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| {
        panic!("{name} is not set: run the tests with `scripts/servers run -- ...`")
    })
}

/// A name that no other test or run has.
fn fresh_name() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos();
    format!("command-{:x}-{now:x}", std::process::id())
}

fn with(url: &str, parameter: &str) -> String {
    format!("{url}{}{parameter}", if url.contains('?') { '&' } else { '?' })
}

impl Engine {
    fn new(url: String) -> Self {
        Self { url, environment: Vec::new(), is_exact: true }
    }

    /// Runs `sayso state` with the engine's environment.
    async fn run(&self, folder: &Path, arguments: &[&str]) -> Ended {
        let mut command = sayso(folder, &[&["state"], arguments].concat());
        let environment = self.environment.iter().map(|(name, value)| (*name, value));
        let child = command.envs(environment).spawn().unwrap();
        let output = timeout(STEP_MAX, child.wait_with_output()).await.unwrap().unwrap();
        Ended {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

const DOCUMENTS: usize = 40;
const ODD_KEY: &str = "odd/../ключ\\?#%\"";

/// Migrates state in, goes on with it, and migrates it out again.
async fn state_moves_in_and_out(engine: Engine) {
    let folder = tempfile::tempdir().unwrap();
    let (folder, url) = (folder.path(), &*engine.url);
    let store = open(folder, "a.sqlite").await;
    for n in 3..DOCUMENTS {
        put(&*store, &format!("test/users/u{n}"), &body(1, "")).await;
    }
    put(&*store, "test/conversations/c", &body(1, "").replace("a secret", "ham")).await;
    let odd_key = if engine.is_exact { ODD_KEY } else { "odd/ключ?#%" };
    put(&*store, odd_key, "{ \"b\": 1.5,\n\"a\": \"ü\" }").await;
    put(&*store, "test/conversations/waiting", &body(1, &waiting("ann"))).await;

    let migrated = ["migrate", "--from", "sqlite:a.sqlite", "--to", url];
    let moved_in = engine.run(folder, &migrated).await;
    assert_eq!(moved_in.code, Some(0), "{moved_in:?}");
    let words =
        format!("same {DOCUMENTS}, copied {DOCUMENTS}, changed again 0, only in target 0\n");
    assert_eq!(moved_in.stdout, words, "{moved_in:?}");
    let again = engine.run(folder, &migrated).await;
    assert_eq!(again.stdout, words.replace(&format!("copied {DOCUMENTS}"), "copied 0"));
    let listed = engine.run(folder, &["ls", "test/users/", "--store", url, "--json"]).await;
    assert_eq!(json_lines(&listed.stdout).len(), DOCUMENTS - 3, "{listed:?}");

    // What waits is found there. Nobody can take it, since it names no service URL: it is parked.
    let environment: Vec<(&str, &str)> =
        engine.environment.iter().map(|(name, value)| (*name, &**value)).collect();
    let further = ["--store", url, "--sweep-ms", "50"];
    let served = Served::start_with(folder, &further, &environment).await;
    assert_eq!(served.ask("1", "corn").await, ["A pizza with ham and corn."]);
    let show = ["show", "test/conversations/waiting", "--store", url, "--json"];
    let mut parked = 0;
    for _ in 0..100 {
        let shown = engine.run(folder, &show).await;
        parked = json_lines(&shown.stdout)[0]["parked"].as_array().unwrap().len();
        if parked > 0 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    assert_eq!(parked, 1);
    served.signal("TERM").await;
    assert_eq!(served.end().await, Some(0));

    let forgotten = ["forget", "--channel", "test", "--user", "u3", "--store", url];
    let forgotten = engine.run(folder, &forgotten).await;
    assert!(forgotten.stdout.contains("1 document removed"), "{forgotten:?}");
    let moved_out =
        engine.run(folder, &["migrate", "--from", url, "--to", "sqlite:b.sqlite"]).await;
    assert_eq!(moved_out.code, Some(0), "{moved_out:?}");
    let back = open(folder, "b.sqlite").await;
    assert!(get(&*back, "test/conversations/c").await.unwrap().contains(r#"["ham","corn"]"#));
    for key in [odd_key, "test/users/u7"] {
        let (there, here) = (get(&*back, key).await.unwrap(), get(&*store, key).await.unwrap());
        if engine.is_exact {
            assert_eq!(there, here, "{key}");
        }
        let value = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        assert_eq!(value(&there), value(&here), "{key}");
    }
    assert_eq!(get(&*back, "test/users/u3").await, None);
}

#[cfg(feature = "postgres")]
#[tokio::test]
async fn postgres_takes_state_in_and_gives_it_back() {
    let name = fresh_name().replace('-', "_");
    let url = with(&server("SAYSO_TEST_POSTGRES"), &format!("schema={name}"));
    state_moves_in_and_out(Engine::new(url)).await;
}

#[cfg(feature = "redis")]
#[tokio::test]
async fn redis_takes_state_in_and_gives_it_back() {
    let url = with(&server("SAYSO_TEST_REDIS"), &format!("prefix={}", fresh_name()));
    state_moves_in_and_out(Engine::new(url)).await;
}

#[cfg(feature = "azure-blob")]
#[tokio::test]
async fn blob_storage_takes_state_in_and_gives_it_back_in_every_layout() {
    for layout in ["sayso", "js", "dotnet", "python", "sample"] {
        let mut engine = Engine::new(format!("azblob:{}?layout={layout}", fresh_name()));
        engine.environment = vec![("AZURE_STORAGE_CONNECTION_STRING", server("SAYSO_TEST_BLOB"))];
        engine.is_exact = layout == "sayso";
        state_moves_in_and_out(engine).await;
    }
}

#[cfg(feature = "cosmos")]
#[tokio::test]
async fn cosmos_takes_state_in_and_gives_it_back_in_every_layout() {
    for layout in ["sayso", "js", "dotnet", "python"] {
        let options = format!("create=true&layout={layout}");
        let mut engine = Engine::new(format!("cosmos:///{}/state?{options}", fresh_name()));
        engine.environment = vec![("AZURE_COSMOS_CONNECTION_STRING", server("SAYSO_TEST_COSMOS"))];
        engine.is_exact = layout == "sayso";
        state_moves_in_and_out(engine).await;
    }
}

#[cfg(feature = "s3")]
#[tokio::test]
async fn s3_takes_state_in_and_gives_it_back() {
    let url = server("SAYSO_TEST_S3");
    let (bucket, query) = url.split_once('?').unwrap_or((&url, ""));
    let bucket = bucket.trim_end_matches('/');
    let mut engine = Engine::new(format!("{bucket}/{}?{query}", fresh_name()));
    // A server of the tests takes anybody's word, and has no bucket yet.
    if let Some((_, endpoint)) = query.split_once("endpoint=http://") {
        let endpoint = endpoint.split('&').next().unwrap();
        let bucket = format!("http://{endpoint}/{}", bucket.strip_prefix("s3://").unwrap());
        drop(client().put(bucket).send().await.unwrap());
        let credentials = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"];
        engine.environment = credentials.map(|name| (name, "test".to_owned())).into();
    }
    state_moves_in_and_out(engine).await;
}
