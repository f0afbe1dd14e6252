//! The command as a process of its own: what it writes to both of its outputs.
//!
//! `SAYSO_TEST_BINARY` names another build of the command than that of the tests, such as the
//! release.

use std::{net::SocketAddr, path::PathBuf, process::Stdio};

use serde_json::json;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader},
    process::Command,
    time::timeout,
};

use super::{
    PASSWORD, Secrets, TEXT,
    forge::KEY,
    world::{APP, ISSUER, PATIENCE, activity, attack, claims, issuer, post},
};
use crate::process::signal;

/// A service URL of the public cloud. Replies are in the answers, so nothing is ever sent there.
const SERVICE: &str = "https://smba.trafficmanager.net/emea/";

fn command() -> Command {
    let own = || PathBuf::from(env!("CARGO_BIN_EXE_sayso"));
    let binary = std::env::var_os("SAYSO_TEST_BINARY").map_or_else(own, PathBuf::from);
    let mut command = Command::new(binary);
    command.env("SAYSO_LOG", "trace").env("RUST_BACKTRACE", "full").env_remove("RUST_LOG");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    command
}

#[tokio::test]
async fn no_secret_shows_in_what_the_process_writes() {
    for form in ["text", "json"] {
        serve(form).await;
    }
}

async fn serve(form: &str) {
    let (issuer, folder) = (issuer().await, tempfile::tempdir().unwrap());
    let mut command = command();
    command.args(["serve", "--address", "127.0.0.1:0", "--log", form]).current_dir(folder.path());
    command.env("MicrosoftAppId", APP).env("MicrosoftAppPassword", PASSWORD);
    command.env("ToBotFromChannelOpenIdMetadataUrl", issuer.url("/metadata"));
    command.env("ToBotFromChannelTokenIssuer", ISSUER);
    command.env("ToBotFromEmulatorOpenIdMetadataUrl", issuer.url("/login-metadata"));
    command.env("ToChannelFromBotLoginUrl", issuer.url(""));
    let mut child = command.spawn().unwrap();
    let mut stderr = child.stderr.take().unwrap();
    let errors = tokio::spawn(async move {
        let mut text = String::new();
        stderr.read_to_string(&mut text).await.unwrap();
        text
    });
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut output = String::new();
    timeout(PATIENCE, stdout.read_line(&mut output)).await.unwrap().unwrap();
    let address = output.trim().strip_prefix("ready http://").expect("it is ready");
    let address: SocketAddr = address.parse().unwrap();

    let mut secrets = Secrets::new();
    let token = KEY.token("k1", &claims(SERVICE));
    let mut said = activity("1", TEXT, "c", SERVICE);
    said["deliveryMode"] = json!("expectReplies");
    let answer = post(address, &token, &said).await;
    assert!(answer.status == 200 && answer.text.contains(TEXT), "{answer:?}");
    let bodies = attack(address, SERVICE, &mut secrets).await;
    signal(child.id().unwrap(), "TERM").await;
    let status = timeout(PATIENCE, child.wait()).await.unwrap().unwrap();
    assert_eq!(status.code(), Some(0));
    stdout.read_to_string(&mut output).await.unwrap();
    let errors = errors.await.unwrap();

    assert!(output.contains(APP), "{output}");
    assert!(errors.contains("TRACE") && errors.contains("drained"), "{errors}");
    assert!(errors.matches("request refused").count() >= 20, "{errors}");
    secrets.are_not_in("a refusal", &bodies);
    secrets.are_not_in("standard output", &output);
    secrets.are_not_in("standard error", &errors);
}

#[tokio::test]
async fn no_secret_shows_when_the_process_does_not_start() {
    let at = format!("user:{PASSWORD}@127.0.0.1:9");
    let stores = [
        format!("postgres://{at}/db"),
        format!("redis://{at}"),
        format!("rediss://{at}"),
        format!("mysql://{at}"),
        format!("s3://bucket?secret_access_key={PASSWORD}&endpoint=http://127.0.0.1:9"),
        format!("AccountName=name;AccountKey={PASSWORD};EndpointSuffix=core.windows.net"),
        format!("Protocol=https;AccountKey={PASSWORD};BlobEndpoint=https://127.0.0.1:9"),
    ];
    let mut runs: Vec<Vec<String>> =
        stores.into_iter().map(|store| vec!["--store".to_owned(), store]).collect();
    runs.push(vec![]);
    for arguments in runs {
        let folder = tempfile::tempdir().unwrap();
        let mut command = command();
        command.arg("serve").args(["--address", "127.0.0.1:0"]).args(&arguments);
        // An app without an id is refused too.
        command.current_dir(folder.path()).env("MicrosoftAppPassword", PASSWORD);
        let output = timeout(PATIENCE, command.output()).await.unwrap().unwrap();
        assert_ne!(output.status.code(), Some(0), "{arguments:?}");
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8(text).unwrap();
        assert!(!text.is_empty());
        Secrets::new().are_not_in("a start that fails", &text);
    }
}
