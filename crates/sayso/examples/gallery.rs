//! A gallery of prompts, to try each one and to compare it with other SDKs side by side.
//!
//! Say `text`, `number`, `confirm`, `choice`, `datetime` or `attachment`: it asks, and tells what
//! it understood as JSON. Run it with `SAYSO_AUTH=none cargo run --example gallery`.

use sayso::{
    dialog::{
        AttachmentPrompt, ChoicePrompt, ComponentDialog, ConfirmPrompt, DateTimePrompt, Dialogs,
        NumberPrompt, PromptOptions, Step, StepResult, TextPrompt, WaterfallDialog,
    },
    prelude::*,
};
use serde_json::Value;

const NAMES: [&str; 6] = ["text", "number", "confirm", "choice", "datetime", "attachment"];

async fn ask(mut step: Step<'_>) -> StepResult {
    let name = step.turn().text().trim().to_lowercase();
    if !NAMES.contains(&name.as_str()) {
        step.say(format!("Say one of these: {}.", NAMES.join(", ")));
        return step.end(()).await;
    }
    let mut question = PromptOptions::ask(format!("{name}?")).retry("Please try again.");
    if name == "choice" {
        question = question.choices(["red", "green", "blue"]);
    }
    step.prompt(&name, question).await
}

async fn tell(mut step: Step<'_>) -> StepResult {
    let value = plain(step.result()?);
    step.say(format!("You said: {value}"));
    step.end(()).await
}

/// As other languages write it: a whole number has no point.
fn plain(value: Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64() {
            Some(float) if float.fract() == 0.0 && float.abs() < 1e15 => (float as i64).into(),
            _ => number.into(),
        },
        Value::Array(items) => items.into_iter().map(plain).collect(),
        Value::Object(members) => {
            members.into_iter().map(|(name, value)| (name, plain(value))).collect()
        }
        other => other,
    }
}

fn bot() -> Bot {
    let root = ComponentDialog::new("gallery")
        .with(WaterfallDialog::new("show").step(ask).step(tell))
        .with(TextPrompt::new("text"))
        .with(NumberPrompt::<f64>::new("number"))
        .with(ConfirmPrompt::new("confirm"))
        .with(ChoicePrompt::new("choice"))
        .with(DateTimePrompt::new("datetime"))
        .with(AttachmentPrompt::new("attachment"));
    Dialogs::new(root).bot()
}

#[tokio::main]
async fn main() -> Result {
    serve(bot()).await
}

#[cfg(test)]
mod tests {
    use sayso::testing::chat;

    use super::*;

    #[tokio::test]
    async fn every_prompt_asks_and_tells() {
        chat(bot())
            .user("hi")
            .expects("Say one of these: text, number, confirm, choice, datetime, attachment.")
            .user("text")
            .expects("text?")
            .user("so it is")
            .expects(r#"You said: "so it is""#)
            .user("number")
            .expects("number?")
            .user("a word")
            .expects("Please try again.")
            .user("forty-two")
            .expects("You said: 42")
            .user("number")
            .expects("number?")
            .user("3.5")
            .expects("You said: 3.5")
            .user("confirm")
            .expects("confirm? (1) Yes or (2) No")
            .user("of course")
            .expects("You said: true")
            .user("choice")
            .expects("choice? (1) red, (2) green, or (3) blue")
            .user("purple")
            .expects("Please try again. (1) red, (2) green, or (3) blue")
            .user("green")
            .expects(r#"You said: {"index":1,"score":1,"synonym":"green","value":"green"}"#)
            .user("datetime")
            .expects("datetime?")
            .user("2026-11-15")
            .expects(r#"You said: [{"timex":"2026-11-15","type":"date","value":"2026-11-15"}]"#)
            .await;
    }

    #[tokio::test]
    async fn an_attachment_is_told_too() {
        let file = Attachment::with_url("image/png", "https://example.org/a.png");
        chat(bot())
            .user("attachment")
            .expects("attachment?")
            .user("none")
            .expects("Please try again.")
            .activity(Activity::message("").with_attachment(file))
            .expects(
                r#"You said: [{"contentType":"image/png","contentUrl":"https://example.org/a.png"}]"#,
            )
            .await;
    }
}
