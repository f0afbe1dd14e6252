//! Transcripts: read, replayed, written.

use std::path::{Path, PathBuf};

use sayso_turn::{
    Bot, BotError, Next, Turn,
    activity::Kind,
    script::{Line, Transcript, chat, chat_with},
};

use super::{mismatch, pizza};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// The files to replay: our own, and those of the reference where they are at hand.
fn files(own: &str, reference: &str) -> Vec<PathBuf> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/specs/transcripts");
    let mut files = vec![data(own)];
    if shared.is_dir() {
        files.extend(["chat", "transcript"].map(|e| shared.join(reference).with_extension(e)));
    }
    files
}

/// Sets, reads and deletes one property.
fn keeper() -> Bot {
    Bot::new().on_message(async |mut turn: Turn| {
        let text = turn.text().to_owned();
        match text.split_once(' ') {
            Some(("set", value)) => *turn.state().named("value")? = value.to_owned(),
            None if text == "delete" => turn.state().remove("value"),
            None if text == "read" => {
                let line = format!("value:{}", turn.state().named::<String>("value")?);
                turn.say(line);
            }
            _ => drop(turn.say("bot message")),
        }
        Ok(())
    })
}

/// Says what it does before and after a handler, and what the handler failed with.
async fn bracket(mut turn: Turn) -> Result<(), BotError> {
    turn.say("before message");
    match answer(&mut turn) {
        Ok(()) => turn.say("after message"),
        // What was said before counts here, which is why `on_error` is not the place for it.
        Err(error) => turn.say(format!("Caught: {error}")),
    };
    Ok(())
}

fn answer(turn: &mut Turn) -> Result<(), BotError> {
    if turn.activity().kind == Kind::ConversationUpdate {
        turn.say("conversationUpdate");
    }
    match turn.text() {
        "use middleware" => drop(turn.say("using middleware")),
        "catch exception" => {
            turn.say("generating exception");
            return Err("exception to catch".into());
        }
        _ => {}
    }
    Ok(())
}

fn bracketed() -> Bot {
    Bot::new().on_any(bracket)
}

/// The same, in parts: the handler knows nothing of what is said around it.
fn layered() -> Bot {
    Bot::new()
        .with(async |mut turn: Turn, next: Next| {
            turn.say("before message");
            match next.run(&mut turn).await {
                Ok(()) => turn.say("after message"),
                Err(error) => turn.say(format!("Caught: {error}")),
            };
            Ok(())
        })
        .on_any(async |mut turn: Turn| answer(&mut turn))
}

#[tokio::test]
async fn conversation_state_replays() {
    for file in files("state.chat", "ConversationStateTest") {
        let transcript = Transcript::load(&file).unwrap();
        let dialogue = transcript.replay(keeper()).await;
        assert!(dialogue.replies().count() >= 6, "{}", file.display());
        transcript.play(chat_with(keeper).restarting().contended()).await;
    }
}

#[tokio::test]
async fn bracketing_replays() {
    for file in files("bracket.chat", "BotAdapted_Bracketing") {
        let dialogue = Transcript::load(&file).unwrap().replay(bracketed()).await;
        assert!(dialogue.replies().count() >= 9, "{}", file.display());
    }
}

#[tokio::test]
async fn bracketing_replays_with_middleware() {
    for file in files("bracket.chat", "BotAdapted_Bracketing") {
        let transcript = Transcript::load(&file).unwrap();
        let dialogue = transcript.replay(layered()).await;
        assert!(dialogue.replies().count() >= 9, "{}", file.display());
        transcript.play(chat_with(layered).restarting().contended()).await;
    }
}

/// A replay that cannot fail proves nothing: every single word counts.
#[tokio::test]
async fn a_replay_fails_on_one_wrong_word_a_missing_line_and_a_line_too_many() {
    let text = std::fs::read_to_string(data("state.chat")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let said = |line: &&str| line.starts_with("Keeper:");
    assert!(lines.iter().filter(|line| said(line)).count() >= 5);
    for (index, line) in lines.iter().enumerate().filter(|(_, line)| said(line)) {
        let changed = format!("{line}!");
        let twice = format!("{line}\n{line}");
        for instead in [changed.as_str(), "", &twice] {
            let mut lines = lines.clone();
            lines[index] = instead;
            let transcript = Transcript::parse_chat(&lines.join("\n")).unwrap();
            let text = mismatch(transcript.replay(keeper())).await;
            assert!(text.contains(" -> "), "{text}");
        }
    }
}

#[tokio::test]
async fn a_chat_and_a_transcript_of_one_dialogue_say_the_same() {
    let mut files = files("state.chat", "ConversationStateTest");
    files.extend(self::files("bracket.chat", "BotAdapted_Bracketing"));
    files.extend(self::files("state.chat", "ChoicePrompt"));
    files.extend(self::files("state.chat", "WaterfallPrompt"));
    let words = |transcript: &Transcript| -> Vec<(bool, Kind, String)> {
        let line = |line: &Line| {
            let activity = line.activity().unwrap();
            (matches!(line, Line::Bot(_)), activity.kind.clone(), activity.text().to_owned())
        };
        transcript.lines().iter().map(line).collect()
    };
    for file in files.iter().filter(|file| file.extension().unwrap() == "chat") {
        let chat = Transcript::load(file).unwrap();
        let other = file.with_extension("transcript");
        if other.exists() {
            assert_eq!(
                words(&chat),
                words(&Transcript::load(&other).unwrap()),
                "{}",
                file.display()
            );
        }
        let again = Transcript::parse_chat(&chat.to_chat()).unwrap();
        assert_eq!(words(&chat), words(&again), "{}", file.display());
        let json = Transcript::parse_transcript(&chat.to_transcript()).unwrap();
        assert_eq!(json, chat, "{}", file.display());
    }
}

#[tokio::test]
async fn a_scripts_dialogue_written_as_a_chat_replays() {
    let dialogue = chat(pizza())
        .from_user("Ann")
        .joins()
        .expects("Welcome!")
        .user("large")
        .expects("Which topping?")
        .from_user("Ben: the cook")
        .user("ham\nand olives")
        .expects("A large pizza with ham\nand olives.")
        .await;
    let text = dialogue.to_chat();
    assert_eq!(
        text,
        concat!(
            "user=Ann\nuser=Ben: the cook\nbot=bot\n\n",
            "Ann: [ConversationUpdate]\n",
            "bot: Welcome!\n",
            "Ann: large\n",
            "bot: Which topping?\n",
            "Ben: the cook: ham\nand olives\n",
            "bot: A large pizza with ham\nand olives.\n",
        )
    );
    Transcript::parse_chat(&text).unwrap().replay(pizza()).await;
    let json = dialogue.transcript().to_transcript();
    Transcript::parse_transcript(&json).unwrap().replay(pizza()).await;
}

#[tokio::test]
async fn time_passes_in_a_chat_too() {
    let bot = || {
        Bot::new()
            .on_message(async |mut turn: Turn| {
                let event = sayso_turn::activity::Activity::event("late");
                turn.after(std::time::Duration::from_millis(1500), event);
                Ok(())
            })
            .on_event("late", async |mut turn: Turn| {
                turn.say("Still there?");
                Ok(())
            })
    };
    let text = "user: hi\nuser: [Delay=1499]\nuser: [Delay=1]\nbot: Still there?\n";
    let dialogue = Transcript::parse_chat(text).unwrap().replay(bot()).await;
    assert!(dialogue.to_chat().ends_with(text), "{}", dialogue.to_chat());
    let early = Transcript::parse_chat("user: hi\nuser: [Delay=1499]\nbot: Still there?").unwrap();
    mismatch(early.replay(bot())).await;
}

#[test]
fn a_chat_tells_of_files_events_and_ends() {
    let text = "\u{feff}user=Ann\r\nbot=B\r\nchannel=web\r\n\r\nAnn: look [Attachment=a.PNG] [x=1]\r\n\
        B: [Typing]\r\nann: [Attachment=b.bin my/type]\r\nuser: [Event=moved]\r\nbot: [EndOfConversation]";
    let transcript = Transcript::parse_chat(text).unwrap();
    let lines = transcript.lines();
    let kinds: Vec<&str> = lines.iter().map(|l| l.activity().unwrap().kind.as_str()).collect();
    let expected =
        ["conversationUpdate", "message", "typing", "message", "event", "endOfConversation"];
    assert_eq!(kinds, expected);
    let message = lines[1].activity().unwrap();
    assert_eq!(message.text(), "look  [x=1]");
    let sorts = [1, 3].map(|index| {
        let attachments = lines[index].activity().unwrap().attachments.as_deref().unwrap();
        (attachments[0].content_type.as_deref().unwrap(), attachments[0].name.as_deref().unwrap())
    });
    assert_eq!(sorts, [("image/png", "a.PNG"), ("my/type", "b.bin")]);
    assert_eq!(lines[4].activity().unwrap().name.as_deref(), Some("moved"));
}

#[test]
fn a_text_goes_on_over_lines_and_blank_lines_are_not_at_its_ends() {
    let text = "user: one\n\n  two: three\n\n\nbot: four\n\n";
    let transcript = Transcript::parse_chat(text).unwrap();
    let texts: Vec<&str> =
        transcript.lines().iter().map(|l| l.activity().unwrap().text()).collect();
    assert_eq!(texts, ["", "one\n\n  two: three", "four"]);
}

#[test]
fn the_user_is_there_from_the_beginning_when_the_bot_speaks_first() {
    let joined = |text: &str| {
        let transcript = Transcript::parse_chat(text).unwrap();
        transcript.lines()[0].activity().unwrap().members_added.as_ref().unwrap().len()
    };
    assert_eq!(joined("bot: Welcome!\nuser: hi"), 2);
    assert_eq!(joined("user: hi\nbot: Hello!"), 1);
}

#[test]
fn whose_an_activity_is_does_not_hang_on_the_role_alone() {
    let transcript = Transcript::parse_transcript(
        r#"[{"type":"conversationUpdate","membersAdded":[{"id":"b","role":"bot"}],"from":{"id":"b","role":"bot"}},
            {"type":"message","from":{"id":"u"},"recipient":{"id":"b"},"text":"hi"},
            {"type":"message","from":{"id":"b"},"text":"Hello!"}]"#,
    );
    let transcript = transcript.unwrap();
    assert!(matches!(transcript.lines(), [Line::User(_), Line::User(_), Line::Bot(_)]));
}

#[test]
fn what_is_not_a_transcript_is_refused_without_repeating_it() {
    let refused = |error: sayso_turn::script::TranscriptError| error.to_string();
    let error = refused(Transcript::parse_chat("user=a\n\nsecret words\n").unwrap_err());
    assert!(error.starts_with("line 3: expected `name: text`"), "{error}");
    for text in ["", "{}", "[", r#""secret""#] {
        let error = refused(Transcript::parse_transcript(text).unwrap_err());
        assert!(error.starts_with("expected a JSON list of activities"), "{error}");
    }
    let text = r#"[{"type":"message"},{"type":"message","text":["secret"]}]"#;
    let error = refused(Transcript::parse_transcript(text).unwrap_err());
    assert!(error.starts_with("activity 2: activity.text: expected a string"), "{error}");
    assert!(!error.contains("secret"));
}
