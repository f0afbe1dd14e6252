//! Ordering a pizza, as a waterfall: the form for people who port a bot from the Bot Framework.
//!
//! Run it with `SAYSO_AUTH=none cargo run --example pizza_waterfall`. The same written straight
//! down is `pizza_straight`.

use sayso::{
    dialog::{
        ChoicePrompt, ComponentDialog, ConfirmPrompt, DialogContext, DialogTurn, Dialogs,
        PromptOptions, Step, StepResult, TextPrompt, WaterfallDialog, choice::FoundChoice,
    },
    prelude::*,
};

async fn size(step: Step<'_>) -> StepResult {
    let question = PromptOptions::ask("What size?").retry("We have small, medium and large ones.");
    step.prompt("choice", question.choices(["small", "medium", "large"])).await
}

async fn toppings(mut step: Step<'_>) -> StepResult {
    let size: FoundChoice = step.result()?;
    step.keep("size", size.value)?;
    step.prompt("text", "Which toppings?").await
}

async fn confirm(mut step: Step<'_>) -> StepResult {
    let (size, toppings): (String, String) = (step.value("size")?, step.result()?);
    let question = format!("A {size} pizza with {toppings}?");
    step.keep("toppings", toppings)?;
    step.prompt("confirm", question).await
}

async fn order(mut step: Step<'_>) -> StepResult {
    let (size, toppings): (String, String) = (step.value("size")?, step.value("toppings")?);
    let line = match step.result()? {
        true => format!("Your {size} pizza with {toppings} is in the oven."),
        false => "Okay, order cancelled.".to_owned(),
    };
    step.say(line);
    step.end(()).await
}

/// `cancel` works at every step.
async fn cancel(dc: &mut DialogContext) -> Result<Option<DialogTurn>> {
    if dc.turn().text() != "cancel" {
        return Ok(None);
    }
    dc.turn().say("Cancelled.");
    dc.cancel_all().await.map(Some)
}

fn bot() -> Bot {
    let waterfall =
        WaterfallDialog::new("order").step(size).step(toppings).step(confirm).step(order);
    let root = ComponentDialog::new("pizza")
        .with(waterfall)
        .with(ChoicePrompt::new("choice"))
        .with(TextPrompt::new("text"))
        .with(ConfirmPrompt::new("confirm"))
        .interrupted_by(cancel);
    Dialogs::new(root).bot()
}

#[tokio::main]
async fn main() -> Result {
    serve(bot()).await
}

#[cfg(test)]
mod tests {
    use sayso::testing::chat_with;

    use super::*;

    #[tokio::test]
    async fn a_pizza_is_ordered() {
        chat_with(bot)
            .user("hello")
            .expects("What size? (1) small, (2) medium, or (3) large")
            .user("huge")
            .expects("We have small, medium and large ones. (1) small, (2) medium, or (3) large")
            .restart()
            .user("the last one")
            .expects("Which toppings?")
            .restart()
            .user("ham and olives")
            .expects("A large pizza with ham and olives? (1) Yes or (2) No")
            .user("sure")
            .expects("Your large pizza with ham and olives is in the oven.")
            .await;
    }

    #[tokio::test]
    async fn it_can_be_called_off() {
        chat_with(bot)
            .user("hello")
            .expects_containing("What size?")
            .user("cancel")
            .expects("Cancelled.")
            .user("hello")
            .expects_containing("What size?")
            .await;
    }
}
