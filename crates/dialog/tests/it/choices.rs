//! The prompts for choices and for yes or no, over whole conversations.

use std::path::Path;

use sayso_activity::{Activity, Attachment};
use sayso_dialog::choice::{Choice, FoundChoice, ListStyle};
use sayso_dialog::{
    ChoicePrompt, ComponentDialog, ConfirmPrompt, Dialogs, PromptOptions, Step, StepResult,
    WaterfallDialog,
};
use sayso_turn::Bot;
use serde_json::{Value, json};

use crate::talk::Talk;

/// Asks for a color, as the bot of the published transcript does.
fn colors() -> Bot {
    async fn ask(step: Step<'_>) -> StepResult {
        let question = PromptOptions::ask("favorite color?")
            .retry("I didn't catch that. Select a color from the list.")
            .choices(["red", "green", "blue"]);
        step.prompt("choice", question).await
    }

    let waterfall = WaterfallDialog::new("w").step(ask).step(received);
    Dialogs::new(ComponentDialog::new("root").with(waterfall).with(ChoicePrompt::new("choice")))
        .bot()
}

async fn received(mut step: Step<'_>) -> StepResult {
    let found: FoundChoice = step.result()?;
    step.say(format!("Bot received the choice '{found}'."));
    step.end(found).await
}

#[tokio::test]
async fn the_published_transcript_is_spoken_word_for_word() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/specs/transcripts/ChoicePrompt.chat");
    let mut script = vec![
        ("user", "Hello!".to_owned()),
        ("bot", "favorite color? (1) red, (2) green, or (3) blue".to_owned()),
        ("user", "the second one".to_owned()),
        ("bot", "Bot received the choice 'green'.".to_owned()),
    ];
    if file.is_file() {
        let text = std::fs::read_to_string(file).unwrap();
        for line in text.lines().filter_map(|line| line.split_once(": ")) {
            let who = if line.0 == "user" { "user" } else { "bot" };
            script.push((who, line.1.to_owned()));
        }
        assert_eq!(script.len(), 4 + 14);
    }
    let mut talk = Talk::new(colors);
    let mut said = Vec::new();
    for (who, line) in script {
        match who {
            "user" => {
                assert_eq!(said, Vec::<String>::new());
                said = talk.say(&line).await;
            }
            _ => assert_eq!(said.remove(0), line),
        }
    }
    assert_eq!(said, Vec::<String>::new());
}

#[tokio::test]
async fn a_choice_is_asked_again_until_it_is_named() {
    let mut talk = Talk::new(colors);
    talk.say("hi").await;
    let again =
        "I didn't catch that. Select a color from the list. (1) red, (2) green, or (3) blue";
    for answer in ["cat", "4", "the tenth one", "", "reddish"] {
        assert_eq!(talk.say(answer).await, [again], "{answer:?}");
    }
    assert_eq!(talk.say("GREEN!").await, ["Bot received the choice 'green'."]);
}

#[tokio::test]
async fn a_choice_asked_by_another_sdk_is_answered_here() {
    let prompt = json!({"type": "message", "text": "favorite color?"});
    let dotnet = json!({
        "$type": "PromptOptions", "Prompt": prompt, "RetryPrompt": null, "Style": "list",
        "Choices": {"$type": "List", "$values": [
            {"$type": "Choice", "value": "red", "action": null, "synonyms": null},
            {"$type": "Choice", "value": "green", "action": null,
                "synonyms": {"$type": "List", "$values": ["grass"]}},
        ]},
    });
    let javascript = json!({
        "prompt": "favorite color?", "style": 3, "choices": ["red", {"value": "green", "synonyms": ["grass"]}],
    });
    let python = json!({
        "py/object": "PromptOptions", "prompt": prompt, "retry_prompt": null, "number_of_attempts": 0,
        "style": {"py/reduce": [{"py/type": "ListStyle"}, {"py/tuple": ["3"]}]},
        "choices": [
            {"py/object": "Choice", "value": "red", "action": null, "synonyms": null},
            {"py/object": "Choice", "value": "green", "action": null, "synonyms": ["grass"]},
        ],
    });
    let top = |options: Value| json!({"id": "choice", "state": {"options": options, "state": {}}});
    let below = json!({"id": "w", "state": {"options": {}, "values": {}, "stepIndex": 0}});
    let around = |stack: Value| json!({"id": "root", "state": {"dialogs": stack}});
    for state in [
        json!({"dialogStack": [around(json!({"dialogStack": [below, top(javascript)]}))]}),
        json!({"$type": "DialogState", "dialogStack": {"$type": "List", "$values": [around(
            json!({"$type": "DialogState", "dialogStack": {"$type": "List", "$values": [top(dotnet), below]}})
        )]}}),
        json!({"py/object": "DialogState", "_dialog_stack": [around(
            json!({"py/object": "DialogState", "_dialog_stack": [top(python), below]})
        )]}),
    ] {
        let mut talk = Talk::new(colors);
        talk.set_state("DialogState", &state);
        let again = "favorite color?\n\n   1. red\n   2. green";
        assert_eq!(talk.say("cat").await, [again], "{state}");
        assert_eq!(talk.say("like grass").await, ["Bot received the choice 'green'."], "{state}");
    }
}

#[tokio::test]
async fn a_question_keeps_its_files_and_gets_its_buttons() {
    async fn ask(step: Step<'_>) -> StepResult {
        let file = Attachment::with_content("x/y", &json!({"a": 1}))?;
        let question = Activity::message("Which?").with_attachment(file);
        let choices = ["A", "B"].map(Choice::from);
        let options = PromptOptions::ask(question).choices(choices).style(ListStyle::HeroCard);
        step.prompt("choice", options).await
    }
    let mut talk = Talk::new(|| {
        let waterfall = WaterfallDialog::new("w").step(ask).step(received);
        Dialogs::new(ComponentDialog::new("r").with(waterfall).with(ChoicePrompt::new("choice")))
            .bot()
    });
    // The second question is made from what was stored.
    for text in ["hi", "what?"] {
        let question = talk.activities(Activity::message(text)).await.remove(0);
        let files = question.attachments.unwrap();
        assert_eq!((question.text, files.len()), (None, 2));
        assert_eq!(files[0].content.as_ref().unwrap().as_str(), r#"{"a":1}"#);
        let card: Value = files[1].content.as_ref().unwrap().get().unwrap();
        assert_eq!((&card["text"], &card["buttons"][1]["value"]), (&json!("Which?"), &json!("B")));
    }
    assert_eq!(talk.say("b").await, ["Bot received the choice 'B'."]);
}

#[tokio::test]
async fn yes_or_no_is_asked_and_understood_in_the_language_of_the_user() {
    async fn ask(step: Step<'_>) -> StepResult {
        step.prompt("confirm", PromptOptions::ask("OK?").retry("Well?")).await
    }
    async fn done(mut step: Step<'_>) -> StepResult {
        let is_ok: bool = step.result()?;
        step.say(is_ok.to_string());
        step.end(is_ok).await
    }
    let mut talk = Talk::new(|| {
        let waterfall = WaterfallDialog::new("w").step(ask).step(done);
        Dialogs::new(ComponentDialog::new("r").with(waterfall).with(ConfirmPrompt::new("confirm")))
            .bot()
    });
    for (locale, words, answer, understood) in [
        ("en-US", "(1) Yes or (2) No", "yes", "true"),
        ("en-US", "(1) Yes or (2) No", "2", "false"),
        ("en-US", "(1) Yes or (2) No", "the first", "true"),
        ("de-DE", "(1) Ja oder (2) Nein", "nein danke", "false"),
        ("ru-RU", "(1) да или (2) нет", "нет", "false"),
        ("ja-JP", "(1) はい または (2) いいえ", "はい", "true"),
    ] {
        let said = |text: &str| Activity::message(text).with_locale(locale);
        assert_eq!(talk.send(said("hi")).await, [format!("OK? {words}")]);
        assert_eq!(talk.send(said("7")).await, [format!("Well? {words}")]);
        assert_eq!(talk.send(said(answer)).await, [understood], "{answer} in {locale}");
    }
}
