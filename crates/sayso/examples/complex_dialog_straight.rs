//! A conversation that calls another one, which loops: the official sample 43.complex-dialog,
//! straight down.
//!
//! It says the same as `complex_dialog`, the form with dialogs; one test holds both. Run it with
//! `SAYSO_AUTH=none cargo run --example complex_dialog_straight`.

use sayso::{activity::Account, prelude::*};

#[derive(Default, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
struct UserProfile {
    name: String,
    age: i32,
    companies_to_review: Vec<String>,
}

const DONE: &str = "done";

const COMPANIES: [&str; 4] =
    ["Adatum Corporation", "Contoso Suites", "Graphic Design Institute", "Wide World Importers"];

/// The companies to review, one or two.
async fn review_selection(c: Conversation) -> Result<Vec<String>> {
    let mut list: Vec<String> = Vec::new();
    while list.len() < 2 {
        let question = match list.first() {
            None => format!("Please choose a company to review, or `{DONE}` to finish."),
            Some(first) => format!(
                "You have selected **{first}**. You can review an additional company, or choose \
                 `{DONE}` to finish."
            ),
        };
        let left = COMPANIES.iter().copied().filter(|company| !list.iter().any(|c| c == company));
        let question = choice(question, left.chain([DONE]));
        let answer = c.ask(question.retry("Please choose an option from the list.")).await?;
        if answer == DONE {
            break;
        }
        list.push(answer);
    }
    Ok(list)
}

async fn sign_up(c: Conversation) -> Result {
    let name = c.ask(text("Please enter your name.")).await?;
    let age = c.ask(number("Please enter your age.")).await?;
    let companies_to_review = if age < 25 {
        c.say("You must be 25 or older to participate.");
        Vec::new()
    } else {
        c.call("review selection", review_selection).await?
    };
    c.say(format!("Thanks for participating, {name}."));
    let companies = match companies_to_review.as_slice() {
        [] => "no companies".to_owned(),
        companies => companies.join(" and "),
    };
    c.say(format!("You are signed up to review {companies}."));
    let profile = UserProfile { name, age, companies_to_review };
    c.user(|kept: &mut UserProfile| *kept = profile).await?;
    Ok(())
}

async fn welcome(mut turn: Turn, members: Vec<Account>) -> Result {
    for member in members {
        turn.say(format!(
            "Welcome to Complex Dialog Bot {}. This bot provides a complex conversation, with \
             multiple dialogs. Type anything to get started.",
            member.name.unwrap_or_default()
        ));
    }
    Ok(())
}

fn bot() -> Bot {
    conversation("sign up", sign_up).bot().on_members_added(welcome)
}

#[tokio::main]
async fn main() -> Result {
    serve(bot()).await
}

#[cfg(test)]
#[path = "dialogues/complex_dialog.rs"]
mod dialogues;
