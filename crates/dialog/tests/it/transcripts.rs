//! Recorded dialogues with prompts, word for word, a fresh bot for every turn.

use std::path::Path;

use sayso_dialog::{
    ChoicePrompt, ComponentDialog, Dialogs, NumberPrompt, PromptOptions, Step, StepResult,
    WaterfallDialog, choice::FoundChoice,
};
use sayso_turn::{
    Bot,
    script::{Transcript, chat_with},
};

async fn ask_color(step: Step<'_>) -> StepResult {
    let question = PromptOptions::ask("favorite color?");
    let question = question.retry("I didn't catch that. Select a color from the list.");
    step.prompt("color", question.choices(["red", "green", "blue"])).await
}

async fn tell_color(mut step: Step<'_>) -> StepResult {
    let color: FoundChoice = step.result()?;
    step.say(format!("Bot received the choice '{color}'."));
    step.end(()).await
}

fn colors() -> Bot {
    let waterfall = WaterfallDialog::new("colors").step(ask_color).step(tell_color);
    Dialogs::new(ComponentDialog::new("root").with(waterfall).with(ChoicePrompt::new("color")))
        .bot()
}

async fn ask_number(mut step: Step<'_>) -> StepResult {
    let number = step.index() + 1;
    if number > 1 {
        let given: i64 = step.result()?;
        step.say(format!("Thanks for '{given}'"));
    }
    step.say(format!("step{number}"));
    if number == 3 {
        return step.end(()).await;
    }
    let question = PromptOptions::ask("Enter a number.").retry("It must be a number");
    step.prompt("number", question).await
}

fn numbers() -> Bot {
    let waterfall = WaterfallDialog::new("w").step(ask_number).step(ask_number).step(ask_number);
    let number = NumberPrompt::<i64>::new("number");
    Dialogs::new(ComponentDialog::new("root").with(waterfall).with(number)).bot()
}

/// Replays what was recorded, where it is at hand; and always a shorter one of our own.
async fn check(name: &str, own: &str, bot: fn() -> Bot) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/specs/transcripts");
    let mut all = vec![Transcript::parse_chat(own).unwrap()];
    if folder.exists() {
        for ending in ["chat", "transcript"] {
            all.push(Transcript::load(folder.join(format!("{name}.{ending}"))).unwrap());
        }
    }
    for transcript in all {
        transcript.play(chat_with(bot).restarting()).await;
    }
}

#[tokio::test]
async fn colors_are_chosen_as_recorded() {
    let own = "user=user\nbot=bot\n\n\
        user: hi\nbot: favorite color? (1) red, (2) green, or (3) blue\n\
        user: pink\nbot: I didn't catch that. Select a color from the list. (1) red, (2) green, or (3) blue\n\
        user: the last one\nbot: Bot received the choice 'blue'.\n";
    check("ChoicePrompt", own, colors).await;
}

#[tokio::test]
async fn numbers_are_asked_for_as_recorded() {
    let own = "user=user\nbot=bot\n\n\
        user: hi\nbot: step1\nbot: Enter a number.\nuser: what\nbot: It must be a number\n\
        user: seven\nbot: Thanks for '7'\nbot: step2\nbot: Enter a number.\n\
        user: 8\nbot: Thanks for '8'\nbot: step3\n";
    check("WaterfallPrompt", own, numbers).await;
}
