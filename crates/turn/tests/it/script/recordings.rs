//! Recordings in files: the line of a mismatch, and the files that they attach.

use std::{fs, path::Path};

use sayso_turn::{
    Bot, Turn,
    script::{Line, Transcript},
};
use serde_json::Value;

fn echo() -> Bot {
    Bot::new().on_message(async |mut turn: Turn| {
        let line = format!("Echo: {}", turn.text());
        turn.say(line);
        Ok(())
    })
}

async fn mismatch(transcript: &Transcript) -> String {
    transcript.replay(echo()).run().await.unwrap_err().to_string()
}

#[tokio::test]
async fn a_mismatch_names_the_file_and_the_line_of_the_recording() {
    let folder = tempfile::tempdir().unwrap();
    let chat = folder.path().join("order.chat");
    fs::write(&chat, "user=Ann\nbot=B\n\nAnn: one\nB: Echo: one\n\nAnn: two\nB: Echo: too\n")
        .unwrap();
    let text = mismatch(&Transcript::load(&chat).unwrap()).await;
    let first = text.lines().next().unwrap();
    assert!(first.contains(&format!(", at {}:8 (played at ", chat.display())), "{first}");
    assert!(first.contains("recordings.rs:"), "{first}");

    let json = r#"[
        {"type":"message","from":{"id":"u","role":"user"},"text":"one"},
        {"type":"message","from":{"id":"b","role":"bot"},
         "text":"Echo: two"}
    ]"#;
    let transcript = folder.path().join("order.transcript");
    fs::write(&transcript, json).unwrap();
    let text = mismatch(&Transcript::load(&transcript).unwrap()).await;
    assert!(text.contains(&format!(", at {}:3 (played at ", transcript.display())), "{text}");

    let text = mismatch(&Transcript::parse_chat("user: one\nbot: Echo: 1").unwrap()).await;
    assert!(text.contains(", at line 2 of the transcript (played at "), "{text}");
}

/// The attachments of a dialogue with one line, from a file in this folder.
fn attached(folder: &Path, markup: &str) -> Result<Vec<Value>, String> {
    let chat = folder.join("one.chat");
    fs::write(&chat, format!("user: hi\nbot: Look [Attachment={markup}]\n")).unwrap();
    let transcript = Transcript::load(chat).map_err(|error| error.to_string())?;
    let Some(Line::Bot(activity)) = transcript.lines().last() else { panic!("no line of the bot") };
    let attachments = activity.attachments.iter().flatten();
    Ok(attachments.map(|attachment| serde_json::to_value(attachment).unwrap()).collect())
}

#[test]
fn an_attached_file_is_read_as_chatdown_reads_it() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::create_dir(folder.join("cards")).unwrap();
    fs::write(folder.join("cards/hero.json"), r#"{"title":"Pizza"}"#).unwrap();
    fs::write(folder.join("menu.txt"), "ham\n").unwrap();
    fs::write(folder.join("a.png"), [137, 80]).unwrap();
    for (markup, content_type, content, url) in [
        ("cards/hero.json", "application/json", Some(r#"{"title":"Pizza"}"#), None),
        (
            "cards/hero.json HeroCard",
            "application/vnd.microsoft.card.hero",
            Some(r#"{"title":"Pizza"}"#),
            None,
        ),
        (
            "cards/hero.json adaptive",
            "application/vnd.microsoft.card.adaptive",
            Some(r#"{"title":"Pizza"}"#),
            None,
        ),
        ("menu.txt", "text/plain", Some(r#""ham\n""#), None),
        ("a.png", "image/png", None, Some("data:image/png;base64,iVA=")),
        ("a.png my/type", "my/type", None, Some("data:my/type;base64,iVA=")),
        ("https://a.example/b.pdf", "application/pdf", None, Some("https://a.example/b.pdf")),
    ] {
        let attachments = attached(folder, markup).unwrap();
        let [attachment] = attachments.as_slice() else { panic!("{markup}: {attachments:?}") };
        assert_eq!(attachment["contentType"], content_type, "{markup}");
        let expected = content.map(|text| serde_json::from_str(text).unwrap());
        assert_eq!(attachment.get("content"), expected.as_ref(), "{markup}");
        assert_eq!(attachment.get("contentUrl").and_then(Value::as_str), url, "{markup}");
    }
}

#[test]
fn a_file_that_cannot_be_attached_is_an_error_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let error = attached(folder.path(), "gone.json").unwrap_err();
    assert!(error.starts_with("line 2: the attachment gone.json cannot be read: "), "{error}");
    fs::write(folder.path().join("bad.json"), "{").unwrap();
    let error = attached(folder.path(), "bad.json").unwrap_err();
    assert!(error.starts_with("line 2: the attachment bad.json cannot be read: "), "{error}");
    assert!(error.contains("EOF"), "{error}");
}
