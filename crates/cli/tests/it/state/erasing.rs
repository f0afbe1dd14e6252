//! `sayso state forget` among 100,000 users: quick, and it leaves nothing in the file.

#![expect(clippy::print_stdout, reason = "figures for whoever runs it")]

use std::{fs, io::BufRead as _, time::Instant};

use sayso::turn::store::{ETag, Participant, Participants, Transactions};

use super::*;

const USERS: usize = 100_000;
/// Number of documents of one transaction.
const AT_ONCE: usize = 2_000;
const VICTIM: usize = 54_321;
const SECRET: &str = "violets-in-the-attic";

fn user(number: usize) -> String {
    format!("user-{number:06}")
}

/// The conversation and the state of a user after so many turns.
fn documents(number: usize, turn: usize) -> [Write; 2] {
    let (user, expect) = (user(number), Expect::Absent);
    let text = if number == VICTIM { SECRET } else { "daisies-on-the-lawn" };
    // Now longer, now shorter, so that rows move from page to page.
    let said = text.repeat(4 + (number * 7 + turn * 13) % 30);
    let ledger = format!(
        r#""$sayso":{{"v":1,"turn":{turn},"rev":{turn},"write":"{user}.{turn}","seen":"","participants":{{"rev":{turn},"ids":["{user}"]}}}}"#
    );
    let key = Key::conversation("test", &format!("c{number}")).unwrap();
    let body = format!(r#"{{"said":"{said}",{ledger}}}"#);
    let participants = Some(Participants::All([Participant::of(&user)].into()));
    let conversation = Write { participants, ..Write::new(key, expect.clone(), body) };
    let key = Key::user("test", &user).unwrap();
    [conversation, Write::new(key, expect, format!(r#"{{"said":"{said}"}}"#))]
}

async fn save_all(transactions: &dyn Transactions, writes: Vec<Write>) -> Vec<Write> {
    let again = writes.clone();
    let Saved::Committed(etags) = transactions.save_all(writes).await.unwrap() else {
        panic!("nobody else writes")
    };
    let at = |(write, etag): (Write, ETag)| Write {
        expect: Expect::At(etag),
        participants: None,
        ..write
    };
    again.into_iter().zip(etags).map(at).collect()
}

/// Fills a store, and lets some users, the victim among them, say more.
async fn fill(store: &dyn Store) {
    let transactions = store.transactions().unwrap();
    let mut talkative = Vec::new();
    let numbers: Vec<usize> = (0..USERS).collect();
    for numbers in numbers.chunks(AT_ONCE / 2) {
        let writes = numbers.iter().flat_map(|number| documents(*number, 1)).collect();
        let saved = save_all(transactions, writes).await;
        let is_talkative = |number: &usize| number % 50 == 21 || number.abs_diff(VICTIM) < 20;
        let saved = numbers.iter().zip(saved.chunks(2));
        talkative.extend(saved.filter(|(number, _)| is_talkative(number)).map(
            |(number, writes)| (*number, [writes[0].expect.clone(), writes[1].expect.clone()]),
        ));
    }
    for turn in 2..6 {
        let writes = talkative.iter().flat_map(|(number, expects)| {
            let writes = documents(*number, turn).into_iter().zip(expects.clone());
            writes.map(|(write, expect)| Write { expect, participants: None, ..write })
        });
        let saved = save_all(transactions, writes.collect()).await;
        for ((_, expects), saved) in talkative.iter_mut().zip(saved.chunks(2)) {
            *expects = [saved[0].expect.clone(), saved[1].expect.clone()];
        }
    }
}

/// Counts a text in a file.
fn count(mut bytes: &[u8], text: &str) -> usize {
    let (first, others) = text.as_bytes().split_first().unwrap();
    let mut found = 0;
    while bytes.skip_until(*first).unwrap() > 0 {
        found += usize::from(bytes.starts_with(others));
    }
    found
}

fn holds(folder: &Path, text: &str) -> bool {
    let files: Vec<_> = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    assert!(files.iter().any(|file| file.ends_with("a.sqlite")), "{files:?}");
    let mut found = false;
    for file in files.iter().filter(|file| file.is_file()) {
        let bytes = fs::read(file).unwrap();
        if count(&bytes, text) > 0 {
            println!("{text} is in {}", file.display());
            found = true;
        }
    }
    found
}

#[tokio::test]
async fn one_of_many_users_is_forgotten_in_a_second_and_no_byte_of_them_is_left() {
    let folder = tempfile::tempdir().unwrap();
    // Still open, as a bot has it.
    let store = open(folder.path(), "a.sqlite").await;
    fill(&*store).await;
    assert!(holds(folder.path(), SECRET) && holds(folder.path(), &user(VICTIM)));

    let victim = user(VICTIM);
    let began = Instant::now();
    let forget = ["forget", "--channel", "test", "--user", &victim, "--json"];
    let ended = state(folder.path(), &forget, "").await;
    let took = began.elapsed();
    println!("forgot one of {USERS} users in {took:?}");
    let report = &json_lines(&ended.stdout)[0];
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(report["removed"].as_array().unwrap().len(), 2, "{report}");
    assert_eq!(report["lookup"], "index", "{report}");
    assert_eq!(report["complete"], true, "{report}");
    assert_eq!(report["files"]["whole"], true, "{report}");
    assert!(!ended.stdout.contains(SECRET), "{report}");
    assert!(took.as_secs_f64() < 1.0, "{took:?}");
    assert!(!holds(folder.path(), SECRET), "the text is gone");
    assert!(!holds(folder.path(), &victim), "the id is gone");
    assert!(get(&*store, &format!("test/users/{}", user(VICTIM + 1))).await.is_some());
}

#[tokio::test]
async fn what_cannot_be_complete_fails_unless_it_is_allowed() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), "a.sqlite").await;
    let listed = |ids: &str| format!(r#""participants":{{"rev":1,"ids":[{ids}]}}"#);
    put(&*store, "test/conversations/alone", &body(1, &listed(r#""ann""#))).await;
    put(&*store, "test/conversations/both", &body(1, &listed(r#""ann","bob""#))).await;
    put(&*store, "test/conversations/bob", &body(1, &listed(r#""bob""#))).await;
    put(&*store, "test/conversations/silent", &body(1, "")).await;
    let crowd = listed(r#""bob""#).replace("]}", "],\"more\":true}");
    put(&*store, "test/conversations/crowd", &body(1, &crowd)).await;
    put(&*store, "test/conversations/damaged", "no document").await;
    let forget = async |further: &[&str]| {
        let forget = ["forget", "--channel", "test", "--user", "ann", "--json"];
        let ended = state(folder.path(), &[&forget[..], further].concat(), "").await;
        let report = json_lines(&ended.stdout).remove(0);
        assert_eq!(report["complete"], ended.code == Some(0), "{report}");
        (ended.code, report)
    };
    let (code, report) = forget(&["--allow-shared", "--allow-silent"]).await;
    assert_eq!(code, Some(1), "a damaged document may be anybody's");
    assert_eq!(report["removed"][0]["key"], "test/conversations/alone");
    assert_eq!(report["removed"].as_array().unwrap().len(), 1);
    assert_eq!(report["shared"], json!(["test/conversations/both"]));
    assert_eq!(report["crowded"], json!(["test/conversations/crowd"]));
    assert_eq!(report["silent"], 1);
    assert_eq!(report["damaged"].as_array().unwrap().len(), 1);
    let repaired = body(2, &listed(r#""bob""#).replace("\"rev\":1", "\"rev\":2"));
    put(&*store, "test/conversations/damaged", &repaired).await;
    for (further, code) in [
        (&[][..], 1),
        (&["--allow-shared"][..], 1),
        (&["--allow-silent"][..], 1),
        (&["--allow-shared", "--allow-silent"][..], 0),
        (&["--allow-shared", "--allow-silent", "--scan", "--rewrite"][..], 0),
    ] {
        assert_eq!(forget(further).await.0, Some(code), "{further:?}");
    }
}
