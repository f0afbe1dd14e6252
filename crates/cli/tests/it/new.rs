//! `sayso new`: what it makes builds and passes its tests, and it destroys nothing.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use tokio::{process::Command, time::timeout};

use crate::process::run;

/// Longest build and test of the new crate: on a machine with other things to do.
const BUILD_MAX: Duration = Duration::from_secs(900);

/// The workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

/// Cargo in a folder, without a network, on what the workspace has compiled. Profile and lock are
/// the workspace's, so that what it has in common with the new crate is not compiled again.
fn cargo(folder: &Path, arguments: &[&str]) -> Command {
    let profile = "profile.dev.package.\"*\".debug=false";
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), Into::into);
    let mut command = Command::new(env!("CARGO"));
    command.arg("--offline").args(["--config", profile]).args(arguments).current_dir(folder);
    command.env("CARGO_TARGET_DIR", target).env("CARGO_PROFILE_DEV_DEBUG", "line-tables-only");
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        // Those that nextest sets for this crate.
        if name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST") {
            command.env_remove(name);
        }
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    command
}

#[tokio::test]
async fn a_new_crate_builds_and_passes_its_tests_offline() {
    let folder = tempfile::tempdir().unwrap();
    let path = root().display().to_string();
    let ended = run(folder.path(), &["new", "my-bot", "--path", &path], "").await;
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let crate_folder = folder.path().join("my-bot");
    fs::copy(root().join("Cargo.lock"), crate_folder.join("Cargo.lock")).unwrap();
    // The first block of the README compiles below its `cargo add` lines, which are the template's.
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let (_, block) = readme.split_once("```rust,no_run\n").unwrap();
    fs::create_dir(crate_folder.join("src/bin")).unwrap();
    fs::write(crate_folder.join("src/bin/readme.rs"), block.split("```").next().unwrap()).unwrap();
    let mut command = cargo(&crate_folder, &["test", "--quiet", "--tests"]);
    let output = timeout(BUILD_MAX, command.output()).await.unwrap().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("test result: ok. 2 passed"), "the dialogues: {said}");
    assert!(said.contains("test result: ok. 1 passed"), "the simulation: {said}");

    // It talks, too.
    let mut command = cargo(&crate_folder, &["run", "--quiet", "--bin", "my-bot", "chat"]);
    command.stdin(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    tokio::io::AsyncWriteExt::write_all(&mut stdin, b"ham\n").await.unwrap();
    drop(stdin);
    let output = timeout(BUILD_MAX, child.wait_with_output()).await.unwrap().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "A pizza with ham.\n");
}

#[tokio::test]
async fn it_says_what_to_do_next_and_refuses_what_it_would_destroy() {
    let folder = tempfile::tempdir().unwrap();
    let ended = run(folder.path(), &["new", "bots/pizza"], "").await;
    assert_eq!(ended.code, Some(0), "{ended:?}");
    for step in ["cd bots/pizza\n", "cargo run chat ", "cargo test ", "cargo run "] {
        assert!(ended.stdout.contains(&format!("\n  {step}")), "{step}: {}", ended.stdout);
    }
    let made = folder.path().join("bots/pizza/Cargo.toml");
    let before = fs::read_to_string(&made).unwrap();
    assert!(before.contains("name = \"pizza\"") && before.contains("version = \"0.1.0\""));
    for (arguments, says) in [
        (&["new", "bots/pizza"][..], "bots/pizza is there and not empty; choose another name"),
        (&["new", "2nd"], "`2nd` does not end in the name of a crate: a letter, then"),
        (&["new", "match"], "`match` means something else in Rust; choose another name"),
        (&["new", "third", "--path", "bots"], "bots holds no crate `sayso`; name a copy of"),
    ] {
        let ended = run(folder.path(), arguments, "").await;
        assert_eq!(ended.code, Some(1), "{ended:?}");
        assert!(ended.stderr.contains(says), "{says}: {}", ended.stderr);
    }
    assert_eq!(fs::read_to_string(&made).unwrap(), before);
    assert!(!folder.path().join("third").exists());
}

#[tokio::test]
async fn the_settings_that_it_makes_are_settings() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), &["new", "pizza"], "").await;
    let shown = run(&folder.path().join("pizza"), &["config"], "").await;
    assert_eq!(shown.code, Some(0), "{shown:?}");
    assert!(shown.stdout.contains("sqlite:data/pizza.sqlite"), "{}", shown.stdout);
    // The lines that are commented out are right, too.
    let file = folder.path().join("pizza/sayso.toml");
    let text = fs::read_to_string(&file).unwrap();
    let open = |line: &str| match line.strip_prefix("# ") {
        Some(code) if code.starts_with('[') || code.contains(" = \"") => code.to_owned(),
        _ => line.to_owned(),
    };
    let text: Vec<String> =
        text.lines().filter(|line| !line.starts_with("auth")).map(open).collect();
    fs::write(&file, text.join("\n")).unwrap();
    let shown = run(&folder.path().join("pizza"), &["config"], "").await;
    assert!(shown.stdout.contains("limits.deadline"), "{shown:?}");
    assert!(!shown.stderr.contains("is not a setting"), "{}", shown.stderr);
    assert!(shown.stdout.lines().any(|line| line.contains("90d") && line.contains("sayso.toml")));
}
