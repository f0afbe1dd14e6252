//! `sayso doctor`: a sound setup passes, and every fault is reported with its cure.

mod places;
#[cfg(unix)]
mod tls;

use std::{
    path::Path,
    time::{Duration, Instant},
};

use futures_util::StreamExt as _;
use serde_json::Value;

use crate::{
    configuration::{CANARY, rows, run_with},
    login::{Login, Manners, SECRET, TOKEN},
    process::Ended,
};

const CHECKS: [&str; 8] =
    ["configuration", "app", "token", "keys", "clock", "store", "address", "service URLs"];

/// Exit code and reports of one run of the doctor.
#[derive(Debug)]
struct Visit {
    code: Option<i32>,
    rows: Vec<Value>,
}

impl Visit {
    /// Runs the doctor, on a free port unless another is said.
    async fn to(folder: &Path, arguments: &[&str], variables: &[(&str, String)]) -> Self {
        let arguments = [&["doctor", "--json"], arguments].concat();
        let mut all = vec![("SAYSO_ADDRESS", "127.0.0.1:0".to_owned())];
        if !variables.iter().any(|(name, _)| *name == "MicrosoftAppId") {
            all.push(("SAYSO_AUTH", "none".to_owned()));
        }
        all.extend(variables.iter().cloned());
        let ended = run_with(folder, &arguments, &all).await;
        assert!(ended.stderr.is_empty(), "{ended:?}");
        Self { code: ended.code, rows: rows(&ended) }
    }

    fn row(&self, check: &str) -> &Value {
        self.rows.iter().find(|row| row["check"] == check).unwrap()
    }

    fn mark(&self, check: &str) -> &str {
        self.row(check)["mark"].as_str().unwrap()
    }

    /// Asserts that a check failed, with this in its text and that in its cure, and so the whole.
    fn fails(&self, check: &str, text: &str, cure: &str) {
        let row = self.row(check);
        assert_eq!((row["mark"].as_str(), self.code), (Some("failed"), Some(1)), "{self:?}");
        assert!(row["text"].as_str().unwrap().contains(text), "{row}");
        assert!(row["cure"].as_str().unwrap().contains(cure), "{row}");
    }

    /// Asserts that nothing else than these failed or was warned about.
    fn rest_is_well(&self, except: &[&str]) {
        for row in self.rows.iter().filter(|row| !except.contains(&row["check"].as_str().unwrap()))
        {
            assert!(row["mark"] == "ok" || row["mark"] == "skipped", "{row}");
        }
    }
}

#[tokio::test]
async fn a_bot_that_can_run_is_told_so() {
    let folder = tempfile::tempdir().unwrap();
    let login = Login::start(Manners::default()).await;
    let url = format!("sqlite:{}", folder.path().join("bot.sqlite").display());
    let store = sayso::open_store(&url).await.unwrap();
    let mut variables = login.variables(SECRET);
    variables.push(("SAYSO_STORE", url));
    let visit = Visit::to(folder.path(), &[], &variables).await;
    let checks: Vec<&str> = visit.rows.iter().map(|row| row["check"].as_str().unwrap()).collect();
    assert_eq!(checks, CHECKS);
    assert_eq!(visit.code, Some(0), "{visit:?}");
    for row in &visit.rows {
        assert_eq!(row["mark"], "ok", "{row}");
        assert!(row["cure"].is_null() && row["ms"].as_u64().unwrap() <= 5100, "{row}");
    }
    assert!(visit.row("store")["text"].as_str().unwrap().contains("conditions hold"));
    assert_eq!(store.list("").count().await, 0, "its document is removed again");

    // And for people.
    variables.push(("SAYSO_ADDRESS", "127.0.0.1:0".to_owned()));
    let ended = run_with(folder.path(), &["doctor"], &variables).await;
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stdout.ends_with("\nall is well\n"), "{}", ended.stdout);
    for check in CHECKS {
        assert!(ended.stdout.contains(&format!("ok       {check:15}")), "{}", ended.stdout);
    }
    assert!(ended.stdout.lines().all(|line| line.len() <= 80), "{}", ended.stdout);
}

#[tokio::test]
async fn without_an_app_there_is_nothing_to_ask_anybody() {
    let folder = tempfile::tempdir().unwrap();
    let visit = Visit::to(folder.path(), &["--store", "memory://"], &[]).await;
    assert_eq!(visit.code, Some(0), "{visit:?}");
    visit.rest_is_well(&[]);
    for check in ["token", "keys", "clock"] {
        assert_eq!(visit.mark(check), "skipped");
    }
}

#[tokio::test]
async fn a_wrong_secret_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let login = Login::start(Manners::default()).await;
    let visit = Visit::to(folder.path(), &[], &login.variables(CANARY)).await;
    visit.fails("token", "status 401 (invalid_client)", "set MicrosoftAppPassword");
    visit.rest_is_well(&["token"]);

    let mut variables = login.variables("");
    let visit = Visit::to(folder.path(), &[], &variables).await;
    visit.fails("token", "MicrosoftAppPassword: it is missing", "MicrosoftAppPassword");

    variables.retain(|(name, _)| *name != "MicrosoftAppId");
    variables.push(("MicrosoftAppPassword", CANARY.to_owned()));
    let visit = Visit::to(folder.path(), &[], &variables).await;
    visit.fails("app", "app.id (MicrosoftAppId): it is missing", "sayso config");
    assert_eq!(visit.mark("token"), "skipped");
}

#[tokio::test]
async fn an_issuer_that_is_down_or_has_no_keys_is_found() {
    let folder = tempfile::tempdir().unwrap();
    for (manners, text) in [
        (Manners { metadata: 503, ..Manners::default() }, "it answered with status 503"),
        (Manners { keys: 0, ..Manners::default() }, "not the expected JSON"),
    ] {
        let login = Login::start(manners).await;
        let visit = Visit::to(folder.path(), &[], &login.variables(SECRET)).await;
        visit.fails("keys", text, "jwks_uri");
        visit.rest_is_well(&["keys"]);
    }
}

#[tokio::test]
async fn a_clock_that_is_wrong_is_found() {
    let folder = tempfile::tempdir().unwrap();
    for (ahead, word) in [(600, "behind"), (-600, "ahead of")] {
        let login = Login::start(Manners { ahead, ..Manners::default() }).await;
        let visit = Visit::to(folder.path(), &[], &login.variables(SECRET)).await;
        visit.fails("clock", &format!(" min {word} 127.0.0.1:"), "set the clock");
        visit.rest_is_well(&["clock"]);
    }
    let login = Login::start(Manners { ahead: 120, ..Manners::default() }).await;
    let visit = Visit::to(folder.path(), &[], &login.variables(SECRET)).await;
    assert_eq!((visit.mark("clock"), visit.code), ("warning", Some(0)), "{visit:?}");
    visit.rest_is_well(&["clock"]);
}

#[tokio::test]
async fn a_machine_without_a_network_gets_its_answer_soon() {
    let folder = tempfile::tempdir().unwrap();
    let mute = Manners { is_mute: true, ..Manners::default() };
    for (login, text) in
        [(Login::nobody().await, "no connection"), (Login::start(mute).await, "no answer in time")]
    {
        let began = Instant::now();
        let visit = Visit::to(folder.path(), &[], &login.variables(SECRET)).await;
        assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
        visit.fails("token", text, "no proxy is used");
        visit.fails("keys", text, "no proxy is used");
        assert_eq!(visit.mark("clock"), "warning", "{visit:?}");
        visit.rest_is_well(&["token", "keys", "clock"]);
        assert!(visit.rows.iter().all(|row| row["ms"].as_u64().unwrap() < 10_000), "{visit:?}");
    }
}

#[tokio::test]
async fn a_configuration_that_cannot_be_read_is_the_first_thing_to_cure() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("sayso.toml"), "adress = \"x\"").unwrap();
    let visit = Visit::to(folder.path(), &[], &[]).await;
    visit.fails("configuration", "sayso.toml:1: `adress` is not a setting", "correct it");
    assert_eq!(visit.rows.len(), 1);

    std::fs::write(folder.path().join("sayso.toml"), "").unwrap();
    let variables = [("SAYSO_ADRESS", "127.0.0.1:0".to_owned())];
    let visit = Visit::to(folder.path(), &[], &variables).await;
    visit.fails("configuration", "environment SAYSO_ADRESS: ", "correct it");
    assert!(format!("{visit:?}").contains("did you mean SAYSO_ADDRESS?"), "{visit:?}");
}

#[tokio::test]
async fn no_secret_is_in_any_output_at_the_highest_level() {
    let folder = tempfile::tempdir().unwrap();
    let login = Login::start(Manners::default()).await;
    let text = format!("[app]\npassword = \"{CANARY}\"\nidentity-header = \"{CANARY}\"\n");
    std::fs::write(folder.path().join("sayso.toml"), text).unwrap();
    let secret_file = folder.path().join("secret");
    std::fs::write(&secret_file, SECRET).unwrap();
    let mut output = String::new();
    for (password, store) in [
        (CANARY, format!("postgres://bot:{CANARY}@127.0.0.1:1/bots")),
        (SECRET, format!("redis://:{CANARY}@127.0.0.1:1")),
        (SECRET, "sqlite:bot.sqlite".to_owned()),
        // From the file of its own.
        ("", "memory://".to_owned()),
    ] {
        let mut variables = login.variables(password);
        variables.retain(|(_, value)| !value.is_empty());
        if password.is_empty() {
            variables.push(("SAYSO_APP_PASSWORD_FILE", secret_file.display().to_string()));
        }
        variables.push(("SAYSO_STORE", store));
        variables.push(("SAYSO_LOG", "trace".to_owned()));
        variables.push(("SAYSO_ADDRESS", "127.0.0.1:0".to_owned()));
        let folder = folder.path();
        for arguments in
            [&["config"][..], &["config", "--json"], &["doctor"], &["doctor", "--json"]]
        {
            let Ended { stdout, stderr, .. } = run_with(folder, arguments, &variables).await;
            output.push_str(&stdout);
            output.push_str(&stderr);
        }
        // A server with its input at the end from the start ends soon.
        let serve = ["serve", "--until-stdin-ends"];
        let Ended { stdout, stderr, .. } = run_with(folder, &serve, &variables).await;
        output.push_str(&stdout);
        output.push_str(&stderr);
    }
    // It did something, and told of it.
    assert!(output.contains("TRACE") && output.contains("invalid_client"), "{output}");
    assert!(output.contains("issued one to the app"), "{output}");
    for secret in [CANARY, SECRET, TOKEN] {
        let place = output.find(secret);
        let line = place.and_then(|at| output.get(at.saturating_sub(200)..at + 20));
        assert_eq!(line, None, "{secret} is in the output");
    }
}
