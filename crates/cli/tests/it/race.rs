//! The race: ours never loses, the usual way does, and nothing is left behind.

use std::{path::Path, time::Duration};

use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    time::{sleep, timeout},
};

use crate::process::{STEP_MAX, run, sayso, signal};

const RUNS: usize = 3;

#[tokio::test]
async fn ours_keeps_every_topping_and_the_usual_way_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let ended = run(folder.path(), &["race", "-k", "64", "--runs", "3", "--json"], "").await;
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let rows: Vec<Value> =
        ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |name: &str| rows.iter().filter(|row| row["semantics"] == name).collect::<Vec<_>>();

    let ours = of("sayso");
    assert_eq!(ours.len(), RUNS);
    for row in ours {
        assert_eq!((&row["confirmed"], &row["on_pizza"]), (&64.into(), &64.into()), "{row}");
        assert_eq!((&row["consistent"], &row["lost"]), (&true.into(), &0.into()), "{row}");
        assert_eq!(row["repeats"], 0, "{row}");
        assert!(row["attempts"].as_u64().unwrap() >= 64, "{row}");
        assert!(row["commits"].as_u64().unwrap() >= 1, "{row}");
    }
    let classic = of("classic");
    assert_eq!(classic.len(), RUNS);
    let has_lost = |row: &&&Value| row["lost"].as_u64().unwrap() > 0 && row["consistent"] == false;
    assert!(classic.iter().any(|row| has_lost(&row)), "{classic:?}");
    assert_clean(folder.path()).await;
}

#[tokio::test]
async fn the_picture_names_the_toppings_and_gives_a_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let ended = run(folder.path(), &["race"], "").await;
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let text = ended.stdout;
    assert!(text.contains("two processes, one pizza, 8 toppings at once"), "{text}");
    assert!(text.contains("mushrooms") && text.contains("salami"), "{text}");
    assert!(text.contains("sayso   8 confirmed, 8 on the pizza, in commit order"), "{text}");
    assert!(!text.contains('\x1b'), "a pipe gets no colours: {text:?}");
    assert_clean(folder.path()).await;
}

#[tokio::test]
async fn the_svg_file_shows_the_last_run_of_each_semantics() {
    let (folder, pictures) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let file = pictures.path().join("race.svg");
    let arguments = ["race", "-k", "64", "--runs", "2", "--json", "--svg", file.to_str().unwrap()];
    let ended = run(folder.path(), &arguments, "").await;
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let svg = std::fs::read_to_string(&file).unwrap();
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n") && svg.len() < 60_000, "{svg}");
    let rows: Vec<Value> =
        ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for name in ["classic", "sayso"] {
        let (_, panel) = svg.split_once(&format!("<g id='race-{name}'>")).unwrap();
        let panel = panel.split("</g>").next().unwrap();
        let row = rows.iter().rfind(|row| row["semantics"] == name).unwrap();
        let cells = |id| panel.matches(&format!("#race-cell-{id}'")).count() as u64;
        assert_eq!((cells("lost"), cells("so")), (number(row, "lost"), number(row, "on_pizza")));
        assert_eq!(cells("lost") + cells("so"), number(row, "confirmed"), "{row}");
        assert!(panel.contains("run 2 of 2"), "{panel}");
    }
    assert_clean(folder.path()).await;
}

#[tokio::test]
async fn a_picture_that_cannot_be_written_is_refused_before_the_race() {
    let folder = tempfile::tempdir().unwrap();
    for file in ["missing/race.svg", "."] {
        let ended = run(folder.path(), &["race", "--svg", file], "").await;
        assert_eq!(ended.code, Some(1), "{ended:?}");
        assert!(ended.stdout.is_empty(), "{ended:?}");
        assert!(ended.stderr.contains(&format!("cannot be written to {file} (")), "{ended:?}");
        assert!(ended.stderr.contains("name a file in a folder"), "{ended:?}");
    }
    assert_clean(folder.path()).await;
}

fn number(row: &Value, name: &str) -> u64 {
    row[name].as_u64().unwrap()
}

#[tokio::test]
async fn a_race_that_is_killed_leaves_no_process_behind() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["race", "--runs", "1000", "--semantics", "sayso", "--json"];
    let mut child = sayso(folder.path(), &arguments).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let first = timeout(STEP_MAX, lines.next_line()).await.unwrap().unwrap();
    assert!(first.is_some(), "the race is on");
    assert_eq!(processes(folder.path()).len(), 2);
    child.kill().await.unwrap();
    assert_no_process(folder.path()).await;
}

#[tokio::test]
async fn a_race_that_is_interrupted_cleans_up() {
    for name in ["INT", "TERM"] {
        let folder = tempfile::tempdir().unwrap();
        let arguments = ["race", "--runs", "1000", "--semantics", "sayso", "--json"];
        let mut child = sayso(folder.path(), &arguments).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(timeout(STEP_MAX, lines.next_line()).await.unwrap().unwrap().is_some());
        signal(child.id().unwrap(), name).await;
        let status = timeout(STEP_MAX, child.wait()).await.unwrap().unwrap();
        assert_eq!(status.code(), Some(1), "{name}");
        assert_clean(folder.path()).await;
    }
}

/// Nothing is left: no process, no file.
async fn assert_clean(folder: &Path) {
    assert_no_process(folder).await;
    let left: Vec<_> = std::fs::read_dir(folder).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}

async fn assert_no_process(folder: &Path) {
    for _ in 0..500 {
        if processes(folder).is_empty() {
            return;
        }
        sleep(Duration::from_millis(20)).await;
    }
    panic!("still running: {:?}", processes(folder));
}

/// The processes whose command line names the folder.
fn processes(folder: &Path) -> Vec<String> {
    let output = std::process::Command::new("ps").args(["-A", "-o", "pid=,args="]).output();
    let listing = String::from_utf8_lossy(&output.unwrap().stdout).into_owned();
    assert!(listing.contains("ps -A"), "the listing lists itself");
    let name = folder.to_str().unwrap();
    let ours = |line: &&str| line.contains(name) && line.contains("--store");
    listing.lines().filter(ours).map(str::to_owned).collect()
}
