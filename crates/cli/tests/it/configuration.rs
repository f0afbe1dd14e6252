//! `sayso config`, and the same settings in the other commands.

use std::path::Path;

use serde_json::Value;
use tokio::time::timeout;

use crate::process::{Ended, STEP_MAX, Served, sayso};

/// Secret that must be in no output.
pub(crate) const CANARY: &str = "c4n4ry";

/// Runs the command with these variables and no others.
pub(crate) async fn run_with(
    folder: &Path,
    arguments: &[&str],
    variables: &[(&str, String)],
) -> Ended {
    let mut command = sayso(folder, arguments);
    command.env_clear().env("TMPDIR", folder).envs(variables.iter().map(|(n, v)| (n, v)));
    let child = command.spawn().unwrap();
    let output = timeout(STEP_MAX, child.wait_with_output()).await.unwrap().unwrap();
    Ended {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// The rows of `--json`.
pub(crate) fn rows(ended: &Ended) -> Vec<Value> {
    ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn write(folder: &Path, name: &str, text: &str, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[tokio::test]
async fn a_flag_wins_over_the_environment_over_the_file_over_the_default() {
    let folder = tempfile::tempdir().unwrap();
    let address = async |arguments: &[&str], variables: &[(&str, String)]| {
        let arguments = [&["config", "--json"], arguments].concat();
        let ended = run_with(folder.path(), &arguments, variables).await;
        assert_eq!(ended.code, Some(0), "{ended:?}");
        let rows = rows(&ended);
        let row = rows.iter().find(|row| row["setting"] == "address").unwrap();
        format!("{} by {}", row["value"].as_str().unwrap(), row["source"].as_str().unwrap())
    };
    let variable = [("SAYSO_ADDRESS", "127.0.0.1:2".to_owned())];
    let flag = ["--address", "127.0.0.1:3"];
    assert_eq!(address(&[], &[]).await, "127.0.0.1:3978 by default");
    write(folder.path(), "sayso.toml", "# a bot\naddress = \"127.0.0.1:1\"\n", 0o600);
    assert_eq!(address(&[], &[]).await, "127.0.0.1:1 by sayso.toml:2");
    assert_eq!(address(&[], &variable).await, "127.0.0.1:2 by environment SAYSO_ADDRESS");
    assert_eq!(address(&flag, &variable).await, "127.0.0.1:3 by flag --address");

    // Another file, by a variable and by a flag.
    write(folder.path(), "a.toml", "address = \"127.0.0.1:4\"", 0o600);
    write(folder.path(), "b.toml", "address = \"127.0.0.1:5\"", 0o600);
    let named = [("SAYSO_CONFIG", "a.toml".to_owned())];
    assert_eq!(address(&[], &named).await, "127.0.0.1:4 by a.toml:1");
    assert_eq!(address(&["--config", "b.toml"], &named).await, "127.0.0.1:5 by b.toml:1");
}

#[tokio::test]
async fn the_table_fits_a_terminal_and_shows_no_secret() {
    let folder = tempfile::tempdir().unwrap();
    let text = format!("[app]\nid = \"an-app\"\npassword = \"{CANARY}\"\n");
    write(folder.path(), "sayso.toml", &text, 0o644);
    let store = format!("postgres://bot:{CANARY}@db.example/bots?sslmode=require");
    let variables = [("SAYSO_STORE", store), ("IDENTITY_HEADER", CANARY.to_owned())];
    for arguments in [&["config"][..], &["config", "--json"]] {
        let ended = run_with(folder.path(), arguments, &variables).await;
        assert_eq!(ended.code, Some(0), "{ended:?}");
        assert!(!ended.stdout.contains(CANARY) && !ended.stderr.contains(CANARY), "{ended:?}");
        assert!(ended.stdout.lines().all(|line| line.len() <= 80) || arguments.len() > 1);
        assert!(ended.stdout.contains("postgres://bot:...@db.example/bots?sslmode=require"));
        let warning =
            "warning: sayso.toml holds a secret, and every user of this machine can read it";
        assert!(ended.stderr.starts_with(warning), "{}", ended.stderr);
    }
    let ended = run_with(folder.path(), &["config"], &variables).await;
    let password = ended.stdout.lines().find(|line| line.starts_with("app.password ")).unwrap();
    let words: Vec<&str> = password.split_whitespace().collect();
    assert_eq!(words, ["app.password", "set", "sayso.toml:3"]);

    let variables = [("MicrosoftAppPassword", CANARY.to_owned())];
    write(folder.path(), "sayso.toml", &text, 0o600);
    let ended = run_with(folder.path(), &["config"], &variables).await;
    let password = ended.stdout.lines().find(|line| line.starts_with("app.password ")).unwrap();
    let words: Vec<&str> = password.split_whitespace().collect();
    assert_eq!(words, ["app.password", "set", "environment", "MicrosoftAppPassword"]);
    assert!(ended.stderr.is_empty(), "{}", ended.stderr);
}

#[tokio::test]
async fn a_bad_configuration_is_refused_by_every_command_that_reads_it() {
    let folder = tempfile::tempdir().unwrap();
    for (text, says) in [
        ("adress = \"c4n4ry\"", "sayso.toml:1: `adress` is not a setting; did you mean `address`?"),
        ("\n[app]\nid = 7", "sayso.toml:3: `app.id` must be a text in quotes, and it is a number"),
        ("[app]\npassword = c4n4ry", "sayso.toml:2: it is not TOML: "),
    ] {
        write(folder.path(), "sayso.toml", text, 0o600);
        for arguments in [&["config"][..], &["config", "--json"], &["serve"], &["state", "ls"]] {
            let ended = run_with(folder.path(), arguments, &[]).await;
            assert_eq!((ended.code, &*ended.stdout), (Some(1), ""), "{arguments:?} {ended:?}");
            assert!(ended.stderr.contains(says), "{arguments:?} {ended:?}");
            assert!(!ended.stderr.contains(CANARY), "{ended:?}");
        }
    }
    let ended = run_with(folder.path(), &["config", "--config", "no.toml"], &[]).await;
    assert_eq!(ended.code, Some(1));
    assert!(ended.stderr.contains("cannot read no.toml: "), "{ended:?}");

    // Half an app: the table is there to see why.
    write(folder.path(), "sayso.toml", "[app]\ntenant = \"t\"\npassword = \"c4n4ry\"", 0o600);
    let ended = run_with(folder.path(), &["config"], &[]).await;
    assert_eq!(ended.code, Some(1));
    let is_tenant = |line: &str| line.split_whitespace().take(2).eq(["app.tenant", "t"]);
    assert!(ended.stdout.lines().any(is_tenant), "{}", ended.stdout);
    assert!(ended.stderr.contains("error: app.id (MicrosoftAppId): it is missing"), "{ended:?}");
    let ended = run_with(folder.path(), &["serve"], &[]).await;
    assert_eq!(ended.code, Some(1));
    assert!(ended.stderr.contains("app.id (MicrosoftAppId): it is missing"), "{ended:?}");
}

#[tokio::test]
async fn the_server_and_the_other_commands_go_by_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let text = "store = \"sqlite:bot.sqlite\"\n[app]\nid = \"an-app\"\npassword = \"c4n4ry\"";
    write(folder.path(), "sayso.toml", text, 0o604);
    let mut served = Served::start(folder.path(), &[]).await;
    let mut words = String::new();
    while !words.contains("sayso race") {
        words.push_str(&served.lines.next_line().await.unwrap().unwrap());
        words.push('\n');
    }
    assert!(words.contains("authenticates both ways as the app an-app"), "{words}");
    assert!(words.contains("warning: sayso.toml holds a secret"), "{words}");
    assert!(!words.contains(CANARY), "{words}");
    assert!(folder.path().join("bot.sqlite").exists());
    served.signal("TERM").await;
    assert_eq!(served.end().await, Some(0));
    let ended = run_with(folder.path(), &["state", "ls"], &[]).await;
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stderr.contains("bot.sqlite"), "{ended:?}");
    // A race is between processes that have nothing to do with this bot.
    let ended = run_with(folder.path(), &["race", "-k", "2", "--json"], &[]).await;
    assert_eq!(ended.code, Some(0), "{ended:?}");
    for race in rows(&ended) {
        assert_eq!((&race["refused"], &race["confirmed"]), (&0.into(), &2.into()), "{race}");
    }
}

#[tokio::test]
async fn a_file_that_was_only_found_cannot_redirect_a_secret() {
    let folder = tempfile::tempdir().unwrap();
    let password = |value: &str| ("MicrosoftAppPassword", value.to_owned());
    write(folder.path(), "password", CANARY, 0o600);
    for destination in [
        "[cloud]\nlogin = \"http://127.0.0.1:1\"",
        "[cloud]\nmetadata = \"http://127.0.0.1:1\"",
        "[cloud]\nissuer = \"https://issuer.example\"",
        "[cloud]\nlogin-metadata = \"http://127.0.0.1:1\"",
        "[cloud]\nscope = \"https://scope.example\"",
        "service-urls = [\"https://channel.example\"]",
        "private-addresses = true",
    ] {
        let app = "[app]\nid = \"an-app\"\n";
        write(folder.path(), "sayso.toml", &format!("{destination}\n{app}"), 0o600);
        let found = run_with(folder.path(), &["config"], &[password(CANARY)]).await;
        assert_eq!(found.code, Some(1), "{destination}: {found:?}");
        assert!(found.stderr.contains("only there because it is in the working directory"));
        assert!(!found.stderr.contains(CANARY) && !found.stdout.contains(CANARY), "{found:?}");
        let served = run_with(folder.path(), &["serve"], &[password(CANARY)]).await;
        assert_eq!(served.code, Some(1), "{served:?}");

        // Whoever names the file answers for it, and so does a file that holds the secret itself.
        let named = [password(CANARY), ("SAYSO_CONFIG", "sayso.toml".to_owned())];
        assert_eq!(run_with(folder.path(), &["config"], &named).await.code, Some(0));
        let flag = ["config", "--config", "sayso.toml"];
        assert_eq!(run_with(folder.path(), &flag, &[password(CANARY)]).await.code, Some(0));
        let own = format!("{destination}\n{app}password = \"{CANARY}\"");
        write(folder.path(), "sayso.toml", &own, 0o600);
        assert_eq!(run_with(folder.path(), &["config"], &[]).await.code, Some(0), "{destination}");

        // A file of somebody else's, named by the one that was found.
        let other = format!("{destination}\n{app}password-file = \"password\"");
        write(folder.path(), "sayso.toml", &other, 0o600);
        assert_eq!(run_with(folder.path(), &["config"], &[]).await.code, Some(1), "{destination}");
    }
    // A store gets what is in a file of somebody else's, or a token of this machine.
    let secret_file = ("SAYSO_STORE_SECRET_FILE", "password".to_owned());
    let app = "[app]\nid = \"an-app\"\npassword = \"c4n4ry\"";
    for (store, variables) in [
        ("redis://127.0.0.1:1?prefix=a&secret-file=password", &[][..]),
        ("postgres://bot@127.0.0.1:1/bots?auth=managed", &[]),
        ("redis://127.0.0.1:1", std::slice::from_ref(&secret_file)),
        ("azblob:https://blob.core.windows.net.example/state", &[]),
        ("cosmos://documents.example/bots", &[]),
    ] {
        let text = format!("store = \"{store}\"\n{app}");
        write(folder.path(), "sayso.toml", &text, 0o600);
        for arguments in [&["config"][..], &["serve"], &["state", "ls"]] {
            let found = run_with(folder.path(), arguments, variables).await;
            assert_eq!(found.code, Some(1), "{store} {arguments:?}: {found:?}");
            assert!(found.stderr.contains("only there because it is in the working directory"));
        }
        let flag = ["config", "--config", "sayso.toml"];
        assert_eq!(run_with(folder.path(), &flag, variables).await.code, Some(0), "{store}");
    }
    for store in [
        "sqlite:bot.sqlite",
        "redis://127.0.0.1:1",
        "azblob:https://bots.blob.core.windows.net/state?auth=managed",
        "cosmos://:a2V5@documents.example/bots",
    ] {
        write(folder.path(), "sayso.toml", &format!("store = \"{store}\"\n{app}"), 0o600);
        let is_local = store.starts_with("sqlite");
        let variables = if is_local { std::slice::from_ref(&secret_file) } else { &[] };
        let found = run_with(folder.path(), &["config"], variables).await;
        assert_eq!(found.code, Some(0), "{store}: {found:?}");
    }
    // The name of a cloud is no address.
    let cloud = "[cloud]\nchannel-service = \"https://botframework.azure.us\"\n[app]\nid = \"a\"";
    write(folder.path(), "sayso.toml", cloud, 0o600);
    assert_eq!(run_with(folder.path(), &["config"], &[password(CANARY)]).await.code, Some(0));
}

#[tokio::test]
async fn a_store_that_every_user_can_read_is_warned_about() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bot.sqlite");
    drop(sayso::open_store(&format!("sqlite:{}", path.display())).await.unwrap());
    for (mode, is_warned) in [(0o640, false), (0o644, true), (0o600, false)] {
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        let arguments = ["doctor", "--json", "--store", "sqlite:bot.sqlite"];
        let ended = run_with(folder.path(), &arguments, &[]).await;
        let is_said = ended.stdout.contains("every user of this machine can read or write");
        assert_eq!(is_said, is_warned, "{mode:o}: {ended:?}");
    }
}
