//! A user's profile, question by question: the official sample 05.multi-turn-prompt, straight down.
//!
//! It says the same as `multi_turn_prompt`, the form with dialogs; one test holds both. Run it with
//! `SAYSO_AUTH=none cargo run --example multi_turn_prompt_straight`.

use sayso::{dialog::conversation::activity, prelude::*};

#[derive(Default, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
struct UserProfile {
    transport: String,
    name: String,
    age: Option<u8>,
    picture: Option<Attachment>,
}

const WRONG_AGE: &str = "The value entered must be greater than 0 and less than 150.";
const WRONG_PICTURE: &str = "The attachment must be a jpeg/png image file.";

async fn profile(c: Conversation) -> Result {
    let question = "Please enter your mode of transport.";
    let transport = c.ask(choice(question, ["Car", "Bus", "Bicycle"])).await?;
    let name = c.ask(text("Please enter your name.")).await?;
    c.say(format!("Thanks {name}."));
    let age = age(&c).await?;
    let picture = picture(&c).await?;
    let given = age.map(|age| format!(" and your age as {age}")).unwrap_or_default();
    c.say(format!("I have your mode of transport as {transport} and your name as {name}{given}."));
    if let Some(picture) = &picture {
        let shown = Activity::message("This is your profile picture.");
        c.send(shown.with_attachment(picture.clone()));
    }
    if c.ask(confirm("Is this ok?")).await? {
        let profile = UserProfile { transport, name, age, picture };
        c.user(|kept: &mut UserProfile| *kept = profile).await?;
        c.say("Thanks. Your profile saved successfully.");
    } else {
        c.say("Thanks. Your profile will not be kept.");
    }
    Ok(())
}

async fn age(c: &Conversation) -> Result<Option<u8>> {
    if !c.ask(confirm("Would you like to give your age?")).await? {
        c.say("No age given.");
        return Ok(None);
    }
    let question = number("Please enter your age.").retry(WRONG_AGE);
    let is_age = |age: &u8| if (1..150).contains(age) { Ok(()) } else { Err(WRONG_AGE) };
    let age = c.ask(question.check(is_age)).await?;
    c.say(format!("I have your age as {age}."));
    Ok(Some(age))
}

async fn picture(c: &Conversation) -> Result<Option<Attachment>> {
    if c.turn(|turn| Ok(turn.activity().channel_id.as_deref() == Some("msteams")))? {
        c.say("Skipping attachment prompt in Teams channel...");
        return Ok(None);
    }
    let question = "Please attach a profile picture (or type any message to skip).";
    let is_fine = |answer: &Activity| match &answer.attachments {
        Some(files) if !files.is_empty() && !files.iter().any(is_image) => Err(WRONG_PICTURE),
        _ => Ok(()),
    };
    let answer = c.ask(activity(question).check(is_fine)).await?;
    let picture = answer.attachments.into_iter().flatten().find(is_image);
    if picture.is_none() {
        c.say("No attachments received. Proceeding without a profile picture...");
    }
    Ok(picture)
}

fn is_image(file: &Attachment) -> bool {
    matches!(file.content_type.as_deref(), Some("image/jpeg" | "image/png"))
}

fn bot() -> Bot {
    conversation("profile", profile).bot()
}

#[tokio::main]
async fn main() -> Result {
    serve(bot()).await
}

#[cfg(test)]
#[path = "dialogues/multi_turn_prompt.rs"]
mod dialogues;
