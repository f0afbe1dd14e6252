//! A user's profile, question by question: the official sample 05.multi-turn-prompt, as dialogs.
//!
//! The ids and the names of values are those of the C# sample, so that its conversations could go
//! on here. A profile that the user does not confirm is not kept. Written straight down it is
//! `multi_turn_prompt_straight`. Run it with `cargo run --example multi_turn_prompt` and
//! `SAYSO_AUTH=none`.

use sayso::{
    dialog::{
        AttachmentPrompt, Check, ChoicePrompt, ComponentDialog, ConfirmPrompt, Dialogs,
        NumberPrompt, PromptOptions, Step, StepResult, TextPrompt, WaterfallDialog,
        choice::FoundChoice,
    },
    prelude::*,
};

#[derive(Default, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
struct UserProfile {
    transport: String,
    name: String,
    age: i32,
    picture: Option<Attachment>,
}

/// The age of somebody who does not give it.
const NO_AGE: i32 = -1;

async fn transport(step: Step<'_>) -> StepResult {
    let question = PromptOptions::ask("Please enter your mode of transport.");
    step.prompt("ChoicePrompt", question.choices(["Car", "Bus", "Bicycle"])).await
}

async fn name(mut step: Step<'_>) -> StepResult {
    let transport: FoundChoice = step.result()?;
    step.keep("transport", transport.value)?;
    step.prompt("TextPrompt", "Please enter your name.").await
}

async fn name_confirm(mut step: Step<'_>) -> StepResult {
    let name: String = step.result()?;
    step.say(format!("Thanks {name}."));
    step.keep("name", name)?;
    step.prompt("ConfirmPrompt", "Would you like to give your age?").await
}

async fn age(step: Step<'_>) -> StepResult {
    if !step.result::<bool>()? {
        return step.next(NO_AGE);
    }
    let question = PromptOptions::ask("Please enter your age.")
        .retry("The value entered must be greater than 0 and less than 150.");
    step.prompt("NumberPrompt", question).await
}

async fn picture(mut step: Step<'_>) -> StepResult {
    let age: i32 = step.result()?;
    step.keep("age", age)?;
    step.say(match age {
        NO_AGE => "No age given.".to_owned(),
        age => format!("I have your age as {age}."),
    });
    if step.turn().activity().channel_id.as_deref() == Some("msteams") {
        step.say("Skipping attachment prompt in Teams channel...");
        return step.next(Vec::<Attachment>::new());
    }
    let question =
        PromptOptions::ask("Please attach a profile picture (or type any message to skip).")
            .retry("The attachment must be a jpeg/png image file.");
    step.prompt("AttachmentPrompt", question).await
}

async fn summary(mut step: Step<'_>) -> StepResult {
    let picture = step.result::<Vec<Attachment>>()?.into_iter().next();
    step.keep("picture", &picture)?;
    let profile = profile(&mut step)?;
    let age = match profile.age {
        NO_AGE => String::new(),
        age => format!(" and your age as {age}"),
    };
    let UserProfile { transport, name, .. } = profile;
    step.say(format!("I have your mode of transport as {transport} and your name as {name}{age}."));
    if let Some(picture) = picture {
        let shown = Activity::message("This is your profile picture.").with_attachment(picture);
        step.turn().send(shown);
    }
    step.prompt("ConfirmPrompt", "Is this ok?").await
}

async fn confirm(mut step: Step<'_>) -> StepResult {
    let line = match step.result()? {
        true => {
            let profile = profile(&mut step)?;
            *step.turn().user::<UserProfile>().await? = profile;
            "Thanks. Your profile saved successfully."
        }
        false => "Thanks. Your profile will not be kept.",
    };
    step.say(line);
    step.end(()).await
}

/// The profile as the steps have kept it.
fn profile(step: &mut Step<'_>) -> Result<UserProfile> {
    Ok(UserProfile {
        transport: step.value("transport")?,
        name: step.value("name")?,
        age: step.value("age")?,
        picture: step.value("picture")?,
    })
}

fn is_age(check: &mut Check<'_, i32>) -> bool {
    check.value.is_some_and(|age| (1..150).contains(&age))
}

/// Without an attachment it goes on without one.
fn is_picture(check: &mut Check<'_, Vec<Attachment>>) -> bool {
    let Some(attachments) = &mut check.value else {
        check.turn.say("No attachments received. Proceeding without a profile picture...");
        check.value = Some(Vec::new());
        return true;
    };
    attachments.retain(|attachment| {
        matches!(attachment.content_type.as_deref(), Some("image/jpeg" | "image/png"))
    });
    !attachments.is_empty()
}

fn bot() -> Bot {
    let steps = WaterfallDialog::new("WaterfallDialog")
        .step(transport)
        .step(name)
        .step(name_confirm)
        .step(age)
        .step(picture)
        .step(summary)
        .step(confirm);
    let root = ComponentDialog::new("UserProfileDialog")
        .with(steps)
        .with(TextPrompt::new("TextPrompt"))
        .with(NumberPrompt::<i32>::new("NumberPrompt").validate(is_age))
        .with(ChoicePrompt::new("ChoicePrompt"))
        .with(ConfirmPrompt::new("ConfirmPrompt"))
        .with(AttachmentPrompt::new("AttachmentPrompt").validate(is_picture));
    Dialogs::new(root).bot()
}

#[tokio::main]
async fn main() -> Result {
    serve(bot()).await
}

#[cfg(test)]
#[path = "dialogues/multi_turn_prompt.rs"]
mod dialogues;
