//! The dialog of the published scale-out sample: a number, another number, their difference.
//!
//! A waterfall with a number prompt inside a component, as people port it from the Bot Framework.
//! Run it with `SAYSO_AUTH=none cargo run --example scaleout`, on as many machines as you like over
//! one store.

use sayso::{
    dialog::{ComponentDialog, Dialogs, NumberPrompt, Step, StepResult, WaterfallDialog},
    prelude::*,
};

async fn first(step: Step<'_>) -> StepResult {
    step.prompt("number", "Enter a number.").await
}

async fn second(mut step: Step<'_>) -> StepResult {
    let first: i64 = step.result()?;
    step.keep("first", first)?;
    step.prompt("number", format!("I have {first} now enter another number")).await
}

async fn difference(mut step: Step<'_>) -> StepResult {
    let (first, second): (i64, i64) = (step.value("first")?, step.result()?);
    step.say(format!("The result of the first minus the second is {}.", first - second));
    step.end(()).await
}

fn bot() -> Bot {
    let waterfall = WaterfallDialog::new("waterfall").step(first).step(second).step(difference);
    let root =
        ComponentDialog::new("root").with(waterfall).with(NumberPrompt::<i64>::new("number"));
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
    async fn it_subtracts() {
        chat(bot())
            .user("hi")
            .expects("Enter a number.")
            .user("hello")
            .expects("Enter a number.")
            .user("3.5")
            .expects("Enter a number.")
            .user("10")
            .expects("I have 10 now enter another number")
            .user("four")
            .expects("The result of the first minus the second is 6.")
            .user("and again")
            .expects("Enter a number.")
            .await;
    }
}
