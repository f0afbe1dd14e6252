//! The dialogues of `tests/sdk/waterfall.js` and `tests/sdk/waterfall.py`, word for word.

use sayso_dialog::{
    Check, ChoicePrompt, ComponentDialog, Dialogs, NumberPrompt, PromptOptions, Step, StepResult,
    TextPrompt, WaterfallDialog,
    choice::{FoundChoice, ListStyle},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A dialogue: user's texts and the bot's replies.
pub(super) type Turns = [(&'static str, &'static str)];

/// The root dialog of the published scale-out sample.
pub(super) mod numbers {
    use super::*;

    pub(in super::super) const NAME: &str = "numbers";

    pub(in super::super) const TURNS: &Turns = &[
        ("hi", "Enter a number."),
        ("žádné číslo", "Enter a number."),
        ("10", "I have 10 now enter another number"),
        ("🍕", "I have 10 now enter another number"),
        ("four", "The result of the first minus the second is 6."),
        ("again", "Enter a number."),
        ("3", "I have 3 now enter another number"),
        ("5", "The result of the first minus the second is -2."),
    ];

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
        step.end(Value::Null).await
    }

    pub(in super::super) fn dialogs() -> Dialogs {
        let waterfall = WaterfallDialog::new("waterfall").step(first).step(second).step(difference);
        let root = ComponentDialog::new("root").with(waterfall);
        Dialogs::new(root.with(NumberPrompt::<i64>::new("number")))
    }
}

/// A choice, and a text with a validator that counts attempts.
pub(super) mod order {
    use super::*;

    pub(in super::super) const NAME: &str = "order";

    pub(in super::super) const TURNS: &Turns = &[
        ("hi", "What size?\n\n   1. small\n   2. large"),
        ("obří", "Small or large, please.\n\n   1. small\n   2. large"),
        ("large", "Which name?"),
        ("é", "A longer one, please: ž?"),
        ("🍕", "A longer one, please: ž?"),
        ("žé", "A longer one, please: ž?"),
        ("ř", "large #1 for ř (4): příliš žluťoučký 🍕 3"),
        ("again", "What size?\n\n   1. small\n   2. large"),
        ("1", "Which name?"),
        ("Zoë", "small #0 for Zoë (1): příliš žluťoučký 🍕 3"),
    ];

    #[derive(Serialize, Deserialize)]
    struct Note {
        text: String,
        tags: Vec<Value>,
    }

    async fn size(mut step: Step<'_>) -> StepResult {
        let tags = vec!["é".into(), 1.into(), Value::Null];
        step.keep("note", Note { text: "příliš žluťoučký 🍕".to_owned(), tags })?;
        let options = PromptOptions::ask("What size?").retry("Small or large, please.");
        step.prompt("size", options.choices(["small", "large"]).style(ListStyle::List)).await
    }

    async fn name(mut step: Step<'_>) -> StepResult {
        let size: FoundChoice = step.result()?;
        step.keep("size", size)?;
        let options = PromptOptions::ask("Which name?").retry("A longer one, please: ž?");
        step.prompt("name", options).await
    }

    async fn done(mut step: Step<'_>) -> StepResult {
        let (note, size): (Note, FoundChoice) = (step.value("note")?, step.value("size")?);
        let name: String = step.result()?;
        let (size, index) = (size.value, size.index);
        step.say(format!("{size} #{index} for {name}: {} {}", note.text, note.tags.len()));
        step.end(Value::Null).await
    }

    pub(in super::super) fn dialogs() -> Dialogs {
        let is_name = |check: &mut Check<'_, String>| {
            // The attempt at which an answer was good enough becomes a part of it.
            let named = check.value.as_ref().map(|name| format!("{name} ({})", check.attempt));
            let is_long = named.as_ref().is_some_and(|name| name.chars().count() >= 7);
            check.value = named;
            is_long || check.attempt >= 4
        };
        let waterfall = WaterfallDialog::new("waterfall").step(size).step(name).step(done);
        let root = ComponentDialog::new("root").with(waterfall).with(ChoicePrompt::new("size"));
        Dialogs::new(root.with(TextPrompt::new("name").validate(is_name)))
    }
}
