//! Dialogs that begin dialogs, and one that loops: the official sample 43.complex-dialog.
//!
//! Run it with `SAYSO_AUTH=none cargo run --example complex_dialog`; written straight down it is
//! `complex_dialog_straight`.

use sayso::{
    activity::Account,
    dialog::{
        ChoicePrompt, ComponentDialog, Dialogs, NumberPrompt, PromptOptions, Step, StepResult,
        TextPrompt, WaterfallDialog, choice::FoundChoice,
    },
    prelude::*,
};

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
mod review_selection {
    use super::*;

    async fn select(mut step: Step<'_>) -> StepResult {
        let list: Vec<String> = step.options::<Option<_>>()?.unwrap_or_default();
        let question = match list.first() {
            None => format!("Please choose a company to review, or `{DONE}` to finish."),
            Some(first) => format!(
                "You have selected **{first}**. You can review an additional company, or choose \
                 `{DONE}` to finish."
            ),
        };
        let left = COMPANIES.iter().copied().filter(|company| !list.iter().any(|c| c == company));
        let choices: Vec<&str> = left.chain([DONE]).collect();
        step.keep("value-companiesSelected", &list)?;
        let question = PromptOptions::ask(question).retry("Please choose an option from the list.");
        step.prompt("ChoicePrompt", question.choices(choices)).await
    }

    async fn go_on(mut step: Step<'_>) -> StepResult {
        let mut list: Vec<String> = step.value("value-companiesSelected")?;
        let choice: FoundChoice = step.result()?;
        let is_done = choice.value == DONE;
        if !is_done {
            list.push(choice.value);
        }
        match is_done || list.len() >= 2 {
            true => step.end(list).await,
            false => step.replace("WaterfallDialog", list).await,
        }
    }

    pub(super) fn dialog() -> ComponentDialog {
        ComponentDialog::new("ReviewSelectionDialog")
            .with(WaterfallDialog::new("WaterfallDialog").step(select).step(go_on))
            .with(ChoicePrompt::new("ChoicePrompt"))
    }
}

/// The user's name and age, and what they review if they are old enough.
mod top_level {
    use super::*;

    async fn name(step: Step<'_>) -> StepResult {
        step.prompt("TextPrompt", "Please enter your name.").await
    }

    async fn age(mut step: Step<'_>) -> StepResult {
        let name: String = step.result()?;
        step.keep("name", name)?;
        step.prompt("NumberPrompt", "Please enter your age.").await
    }

    async fn selection(mut step: Step<'_>) -> StepResult {
        let age: i32 = step.result()?;
        step.keep("age", age)?;
        if age < 25 {
            step.say("You must be 25 or older to participate.");
            return step.next(Vec::<String>::new());
        }
        step.begin("ReviewSelectionDialog", ()).await
    }

    async fn acknowledgement(mut step: Step<'_>) -> StepResult {
        let profile = UserProfile {
            name: step.value("name")?,
            age: step.value("age")?,
            companies_to_review: step.result()?,
        };
        step.say(format!("Thanks for participating, {}.", profile.name));
        step.end(profile).await
    }

    pub(super) fn dialog() -> ComponentDialog {
        let steps = WaterfallDialog::new("WaterfallDialog").step(name).step(age);
        ComponentDialog::new("TopLevelDialog")
            .with(steps.step(selection).step(acknowledgement))
            .with(TextPrompt::new("TextPrompt"))
            .with(NumberPrompt::<i32>::new("NumberPrompt"))
            .with(review_selection::dialog())
    }
}

async fn initial(step: Step<'_>) -> StepResult {
    step.begin("TopLevelDialog", ()).await
}

async fn last(mut step: Step<'_>) -> StepResult {
    let profile: UserProfile = step.result()?;
    let companies = match profile.companies_to_review.as_slice() {
        [] => "no companies".to_owned(),
        companies => companies.join(" and "),
    };
    step.say(format!("You are signed up to review {companies}."));
    *step.turn().user::<UserProfile>().await? = profile;
    step.end(()).await
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
    let root = ComponentDialog::new("MainDialog")
        .with(WaterfallDialog::new("WaterfallDialog").step(initial).step(last))
        .with(top_level::dialog());
    Dialogs::new(root).bot().on_members_added(welcome)
}

#[tokio::main]
async fn main() -> Result {
    serve(bot()).await
}

#[cfg(test)]
#[path = "dialogues/complex_dialog.rs"]
mod dialogues;
