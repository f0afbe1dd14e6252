//! Sample activities: unusual ones of our own, and those of the specification if it is at hand.

use std::fs;
use std::path::{Path, PathBuf};

use sayso_activity::{Account, Activity, ConversationAccount};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::tree::tree;

/// The JSON files of a folder, in order of name; none when there is no such folder.
fn samples(folder: &Path) -> Vec<(PathBuf, String)> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        (path, text)
    };
    paths.into_iter().map(read).collect()
}

fn check_activity(path: &Path, text: &str) {
    let activity = Activity::from_json(text.as_bytes()).unwrap_or_else(|e| panic!("{path:?}: {e}"));
    let written = String::from_utf8(activity.to_json()).unwrap();
    assert_eq!(tree(&written), tree(text), "{path:?}");
    assert_eq!(Activity::from_json(written.as_bytes()).unwrap(), activity, "{path:?}");
}

fn check<T: DeserializeOwned + Serialize>(path: &Path, text: &str) {
    let record: T = serde_json::from_str(text).unwrap_or_else(|e| panic!("{path:?}: {e}"));
    assert_eq!(tree(&serde_json::to_string(&record).unwrap()), tree(text), "{path:?}");
}

#[test]
fn nothing_of_our_samples_is_lost() {
    let samples = samples(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data"));
    assert_eq!(samples.len(), 5);
    for (path, text) in samples {
        check_activity(&path, &text);
    }
}

#[test]
fn nothing_of_the_specification_samples_is_lost() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = root.join("../shared/specs/activities");
    let samples = samples(&folder);
    assert_eq!(samples.is_empty(), !folder.exists());
    for (path, text) in samples {
        // The files begin with a byte order mark, which a request body must not have.
        let text = text.trim_start_matches('\u{feff}');
        match path.file_name().and_then(|name| name.to_str()).unwrap() {
            "ChannelAccount.json" | "SubChannelAccount.json" => check::<Account>(&path, text),
            "ConversationAccount.json" => check::<ConversationAccount>(&path, text),
            _ => check_activity(&path, text),
        }
    }
}

#[test]
fn typed_members_are_read_where_they_stand() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let read = |name: &str| Activity::from_json(&fs::read(folder.join(name)).unwrap()).unwrap();

    let escapes = read("escapes.json");
    assert!(escapes.is_message());
    assert!(escapes.text().starts_with("café 😀 \"quoted\""));
    assert_eq!(escapes.locale.as_deref(), Some("fr"));

    let odd = read("unknown_members.json");
    assert_eq!(odd.attachments.unwrap().len(), 2);
    assert_eq!(odd.from.unwrap().extra.get("badges").unwrap().get::<Vec<u8>>().unwrap(), [1, 2]);
    assert_eq!(odd.extra.iter().next().unwrap().0, "x-odd name");

    let nulls = read("nulls.json");
    assert!(nulls.from.is_none() && nulls.extra.get("from").unwrap().is_null());
    assert_eq!(nulls.members_added.unwrap()[0].id.as_deref(), Some("u-2"));
}
