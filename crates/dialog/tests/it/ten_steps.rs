//! Simulation: ten steps of each form, on three instances, while everything goes wrong, give the
//! right answer every time.
//!
//! The users of the simulator say all their lines at once and in no order, again until they are
//! answered. So each line is a number, and the right answer is their sum and their number.

use sayso_dialog::{
    ComponentDialog, Dialogs, NumberPrompt, States, Step, StepResult, WaterfallDialog,
    conversation::{self, Conversation, conversation, number},
    states,
};
use sayso_sim::simulate;
use sayso_turn::{Bot, BotError, BotState, Logic, Turn};
use serde_json::Value;

const USERS: usize = 2;
const STEPS: u64 = 10;

/// The number of worlds: few in an ordinary run of the tests, ten thousand in the evidence.
fn seeds() -> u64 {
    let asked = std::env::var("SAYSO_DIALOG_SEEDS").ok();
    asked.map_or(200, |seeds| seeds.parse().expect("SAYSO_DIALOG_SEEDS is a number"))
}

/// Plays the worlds of one form.
fn check<L: Logic>(form: &str, property: &str, bot: impl Fn() -> L + Send + Sync + 'static) {
    let lines = (1..=STEPS).map(|number| number.to_string());
    let world = simulate(bot).users(USERS).script(lines).instances(3).seeds(seeds());
    let sum = format!("The sum is {}.", STEPS * (STEPS + 1) / 2);
    let rounds = std::cell::Cell::new(0_u64);
    world.check(|world| {
        for user in 0..USERS {
            let replies = world.replies(user);
            let asked = replies.iter().filter(|reply| *reply == "Another one.").count();
            let told = replies.iter().filter(|reply| **reply == sum).count();
            assert_eq!((asked, told), (STEPS as usize - 1, 1), "{form}: {replies:?}");
            let left = world.bag(user).get_raw(property).map(|raw| raw.as_str().to_owned());
            let waits = ["Another one.", "\"sum\""];
            let is_over =
                left.as_deref().is_none_or(|left| !waits.iter().any(|it| left.contains(it)));
            assert!(is_over, "{form}: still waiting: {left:?}");
            rounds.set(rounds.get() + 1);
        }
    });
    assert_eq!(rounds.get(), seeds() * USERS as u64);
    println!("{form}: {} worlds, {} dialogues of ten steps, 0 wrong", seeds(), rounds.get());
}

mod waterfall {
    use super::*;

    async fn first(mut step: Step<'_>) -> StepResult {
        let number: u64 = step.turn().text().parse()?;
        step.keep("sum", number)?;
        step.prompt("number", "Another one.").await
    }

    async fn next(mut step: Step<'_>) -> StepResult {
        add(&mut step)?;
        step.prompt("number", "Another one.").await
    }

    async fn last(mut step: Step<'_>) -> StepResult {
        let sum = add(&mut step)?;
        step.say(format!("The sum is {sum}."));
        step.end(Value::Null).await
    }

    fn add(step: &mut Step<'_>) -> sayso_dialog::Result<u64> {
        let sum = step.value::<u64>("sum")? + step.result::<u64>()?;
        step.keep("sum", sum)?;
        Ok(sum)
    }

    pub(super) fn bot() -> Bot {
        let mut waterfall = WaterfallDialog::new("waterfall").step(first);
        for _ in 2..STEPS {
            waterfall = waterfall.step(next);
        }
        let root = ComponentDialog::new("root").with(waterfall.step(last));
        Dialogs::new(root.with(NumberPrompt::<u64>::new("number"))).bot()
    }
}

#[test]
fn a_waterfall_of_ten_steps_is_right_in_every_world() {
    check("waterfall", "DialogState", waterfall::bot);
}

async fn straight(c: Conversation) -> conversation::Result<u64> {
    let mut sum: u64 = c.text()?.parse()?;
    for _ in 1..STEPS {
        sum += c.ask(number::<u64>("Another one.")).await?;
    }
    c.say(format!("The sum is {sum}."));
    Ok(sum)
}

#[test]
fn a_conversation_of_ten_steps_is_right_in_every_world() {
    check("straight-line conversation", "Conversation", || conversation("sum", straight).bot());
}

#[derive(Default, BotState, States)]
#[state(version = 1)]
enum Adding {
    #[default]
    #[handler(begin)]
    Start,
    #[handler(add)]
    Sum { sum: u64, left: u64 },
}

#[expect(clippy::unused_async, reason = "a handler is async, whether it waits or not")]
async fn begin(turn: &mut Turn) -> Result<Adding, BotError> {
    added(turn, 0, STEPS)
}

#[expect(clippy::unused_async, reason = "a handler is async, whether it waits or not")]
async fn add(turn: &mut Turn, sum: u64, left: u64) -> Result<Adding, BotError> {
    added(turn, sum, left)
}

fn added(turn: &mut Turn, sum: u64, left: u64) -> Result<Adding, BotError> {
    let sum = sum + turn.text().parse::<u64>()?;
    if left == 1 {
        turn.say(format!("The sum is {sum}."));
        return Ok(Adding::Start);
    }
    turn.say("Another one.");
    Ok(Adding::Sum { sum, left: left - 1 })
}

#[test]
fn an_enum_of_ten_steps_is_right_in_every_world() {
    check("enum state", "Adding", || Bot::new().on_message(states::<Adding>()));
}
