//! The bots that are measured beside other runtimes: the same work, in the same words as there.
//!
//! * `pizza`: "add X" puts X on a list in the state, anything else says the list.
//! * `dialog`: a waterfall of three steps with two number prompts, which says the difference.
//! * `plain`: the same, and the prompts take a number by parsing it, without recognising words.

use std::str::FromStr;

use sayso_activity::Activity;
use sayso_dialog::{
    Check, ComponentDialog, Dialogs, NumberPrompt, Step, StepFn, StepResult, TextPrompt,
    WaterfallDialog,
};
use sayso_turn::{Bot, BotError, Turn};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// Logic of a bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logic {
    /// A list that grows.
    Pizza,
    /// A waterfall with number prompts.
    Dialog,
    /// The same with prompts that only parse.
    Plain,
}

impl Logic {
    /// The name, as the other runtimes' programs have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Pizza => "pizza",
            Self::Dialog => "dialog",
            Self::Plain => "plain",
        }
    }

    /// Messages of a user in a conversation, each with the expected reply.
    #[must_use]
    pub fn script(self) -> [(&'static str, &'static str); 3] {
        match self {
            Self::Pizza => {
                [("add ham", "added ham"), ("add egg", "added egg"), ("list", "list ham,egg")]
            }
            Self::Dialog | Self::Plain => [
                ("hi", "Enter a number."),
                ("10", "I have 10 now enter another number"),
                ("3", "The result of the first minus the second is 7."),
            ],
        }
    }

    /// Messages of a user in a conversation of so many messages, each with the expected reply.
    #[must_use]
    pub fn conversation(self, messages: usize) -> Vec<(String, String)> {
        let owned = |(text, answer): (&str, &str)| (text.to_owned(), answer.to_owned());
        if self != Self::Pizza || messages <= 3 {
            return self.script().into_iter().cycle().take(messages).map(owned).collect();
        }
        let adds = |number: usize| (format!("add t{number}"), format!("added t{number}"));
        let list: Vec<_> = (1..messages).map(|number| format!("t{number}")).collect();
        let last = ("list".to_owned(), format!("list {}", list.join(",")));
        (1..messages).map(adds).chain([last]).collect()
    }
}

impl FromStr for Logic {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let all = [Self::Pizza, Self::Dialog, Self::Plain];
        let found = all.into_iter().find(|logic| logic.name() == name);
        found.ok_or_else(|| format!("there is no logic {name:?}; use pizza, dialog or plain"))
    }
}

/// The bot with this logic.
#[must_use]
pub fn bot(logic: Logic) -> Bot {
    match logic {
        Logic::Pizza => Bot::new().on_message(pizza),
        Logic::Dialog => {
            Dialogs::new(
                root(second::<i64>, difference::<i64>).with(NumberPrompt::<i64>::new("number")),
            )
            .bot()
        }
        Logic::Plain => {
            let number = TextPrompt::new("number").validate(|check: &mut Check<'_, String>| {
                check.value.as_ref().is_some_and(|text| text.parse::<i64>().is_ok())
            });
            Dialogs::new(root(second::<String>, difference::<String>).with(number)).bot()
        }
    }
}

/// The body of a request: the `number`th message of a conversation.
#[must_use]
pub fn message(service_url: &str, conversation: &str, number: u64, text: &str) -> String {
    let number = number.to_string();
    // Without formatting: whoever measures the bot pays for this, too.
    [
        r#"{"type":"message","id":""#,
        conversation,
        "-",
        &number,
        r#"","timestamp":"2026-01-01T00:00:00.000Z","serviceUrl":""#,
        service_url,
        r#"","channelId":"directline","from":{"id":"user1","name":"User"},"conversation":{"id":""#,
        conversation,
        r#""},"recipient":{"id":"bot","name":"Bot"},"textFormat":"plain","locale":"en-US","text":""#,
        text,
        r#""}"#,
    ]
    .concat()
}

/// The same message, parsed.
///
/// # Panics
/// When it is not an activity.
#[must_use]
pub fn activity(conversation: &str, number: u64, text: &str) -> Activity {
    let body = message("http://127.0.0.1:9000", conversation, number, text);
    Activity::from_json(body.as_bytes()).expect("our message is an activity")
}

#[derive(Default, Serialize, Deserialize)]
struct Pizza {
    toppings: Vec<String>,
}

async fn pizza(mut turn: Turn) -> Result<(), BotError> {
    let added = turn.text().strip_prefix("add ").map(str::to_owned);
    let pizza = turn.conversation::<Pizza>()?;
    let line = match added {
        Some(topping) => {
            let line = format!("added {topping}");
            pizza.toppings.push(topping);
            line
        }
        None => format!("list {}", pizza.toppings.join(",")),
    };
    turn.say(line);
    Ok(())
}

/// Result of a prompt for a number: the number, or its text.
trait Answer: DeserializeOwned + Send {
    fn number(self) -> Result<i64, BotError>;
}

impl Answer for i64 {
    fn number(self) -> Result<i64, BotError> {
        Ok(self)
    }
}

impl Answer for String {
    fn number(self) -> Result<i64, BotError> {
        Ok(self.parse()?)
    }
}

fn root(second: impl for<'a> StepFn<'a>, difference: impl for<'a> StepFn<'a>) -> ComponentDialog {
    let waterfall = WaterfallDialog::new("waterfall").step(first).step(second).step(difference);
    ComponentDialog::new("root").with(waterfall)
}

async fn first(step: Step<'_>) -> StepResult {
    step.prompt("number", "Enter a number.").await
}

async fn second<A: Answer>(mut step: Step<'_>) -> StepResult {
    let first = step.result::<A>()?.number()?;
    step.keep("first", first)?;
    step.prompt("number", format!("I have {first} now enter another number")).await
}

async fn difference<A: Answer>(mut step: Step<'_>) -> StepResult {
    let (first, second) = (step.value::<i64>("first")?, step.result::<A>()?.number()?);
    step.say(format!("The result of the first minus the second is {}.", first - second));
    step.end(()).await
}

#[cfg(test)]
mod tests {
    use sayso_turn::{Documents, run};

    use super::*;

    #[tokio::test]
    async fn the_bots_answer_in_the_words_of_the_other_runtimes() {
        for (logic, messages) in
            [(Logic::Pizza, 3), (Logic::Pizza, 7), (Logic::Dialog, 6), (Logic::Plain, 3)]
        {
            let (bot, mut documents) = (bot(logic), Documents::new());
            for (number, (text, answer)) in (0..).zip(logic.conversation(messages)) {
                let outcome = run(&bot, activity("c", number, &text), documents).await.unwrap();
                let said: Vec<_> = outcome.replies.iter().map(|reply| reply.text()).collect();
                assert_eq!(said, [answer], "{logic:?} after {text:?}");
                documents = outcome.documents;
            }
        }
    }
}
