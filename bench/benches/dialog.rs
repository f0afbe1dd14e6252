//! CPU time of a turn of dialogs: a waterfall's step, and a straight-line conversation that
//! resumes.
//!
//! Each is a pure run of the logic on documents that another turn has left, as an engine with a
//! cold cache would have it: the stack or the journal is parsed, gone on with and written. Beside
//! them, in the same rounds, a bot that says the same words without any dialog: what is above it is
//! the dialog's.
//!
//! `--quick` measures little: a check that everything works, not a result.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::process::ExitCode;

use sayso_activity::Activity;
use sayso_bench::measure::{Cost, Middle};
use sayso_dialog::{
    ComponentDialog, Dialogs, NumberPrompt, Step, StepResult, WaterfallDialog,
    conversation::{self, Conversation, conversation},
};
use sayso_turn::{Bot, Documents, Turn, run};
use tokio::runtime::{Builder, Runtime};

/// The answers that a straight-line conversation has had when it resumes.
const ANSWERS: u64 = 50;

/// A measured bot, with the documents that each of its turns starts from.
struct Case {
    name: &'static str,
    bot: Bot,
    documents: Documents,
    /// Upper bound in microseconds of what it may cost more than the plain turn.
    goal: Option<f64>,
    rounds: Vec<f64>,
}

impl Case {
    /// A bot that has been told this already.
    fn after(
        runtime: &Runtime,
        name: &'static str,
        goal: Option<f64>,
        bot: Bot,
        told: u64,
    ) -> Self {
        let mut documents = Documents::new();
        for number in 0..told {
            let turn = run(&bot, message(number), documents);
            documents = runtime.block_on(turn).expect("the turn succeeds").documents;
        }
        Self { name, bot, documents, goal, rounds: Vec::new() }
    }

    fn measure(&mut self, runtime: &Runtime, steps: usize) {
        let activities: Vec<Activity> = (0..steps).map(|_| message(7)).collect();
        let stored: Vec<(_, String)> =
            self.documents.iter().map(|(key, bag)| (key.clone(), bag.to_json())).collect();
        let cost = Cost::of(steps, || {
            runtime.block_on(async {
                for activity in activities {
                    // From text, as a store gives it.
                    let parsed = stored.iter().map(|(key, text)| {
                        let bag = sayso_turn::Bag::from_json(text).expect("it was written by us");
                        (key.clone(), bag)
                    });
                    let outcome = run(&self.bot, activity, parsed.collect()).await;
                    let outcome = outcome.expect("the turn succeeds");
                    assert_eq!(outcome.replies.len(), 1, "it said something");
                }
            });
        });
        self.rounds.push(cost.own);
    }
}

fn message(number: u64) -> Activity {
    let text = format!(
        r#"{{"type":"message","id":"{number}","channelId":"bench","conversation":{{"id":"c"}},"from":{{"id":"u"}},"text":"{number}"}}"#
    );
    Activity::from_json(text.as_bytes()).expect("it is an activity")
}

async fn ask(step: Step<'_>) -> StepResult {
    step.prompt("number", "Enter a number.").await
}

async fn keep(mut step: Step<'_>) -> StepResult {
    let number: i64 = step.result()?;
    step.keep("first", number)?;
    step.prompt("number", format!("I have {number} now enter another number")).await
}

fn waterfall() -> Bot {
    let waterfall = WaterfallDialog::new("waterfall").step(ask).step(keep).step(ask);
    let root = ComponentDialog::new("root").with(waterfall);
    Dialogs::new(root.with(NumberPrompt::<i64>::new("number"))).bot()
}

async fn count(c: Conversation) -> conversation::Result<u64> {
    let mut sum = 0;
    for _ in 0..=ANSWERS {
        sum += c.ask(conversation::number::<u64>("Another one.")).await?;
    }
    Ok(sum)
}

fn plain() -> Bot {
    Bot::new().on_message(async |mut turn: Turn| {
        let line = format!("I have {} now enter another number", turn.text());
        turn.say(line);
        Ok(())
    })
}

fn main() -> ExitCode {
    let is_quick = std::env::args().any(|argument| argument == "--quick");
    let (rounds, steps) = if is_quick { (5, 50) } else { (101, 500) };
    let runtime = Builder::new_current_thread().build().expect("a runtime");
    let straight = conversation("count", count).bot();
    let mut cases = [
        Case::after(&runtime, "a plain turn", None, plain(), 1),
        Case::after(&runtime, "a waterfall's step", Some(5.0), waterfall(), 1),
        Case::after(&runtime, "resumed, 50 answers", Some(100.0), straight, ANSWERS),
    ];
    for _ in 0..rounds {
        cases.iter_mut().for_each(|case| case.measure(&runtime, steps));
    }
    println!("\nMicroseconds of CPU, median of {rounds} rounds of {steps} (middle half).\n");
    println!("{:<24}{:>22}{:>26}{:>8}", "", "a turn", "above the plain turn", "goal");
    let [least, ..] = &cases;
    for case in &cases {
        let whole = Middle::of(case.rounds.iter().copied());
        let pairs = case.rounds.iter().zip(&least.rounds);
        let above = Middle::of(pairs.map(|(case, least)| case - least));
        let goal = case.goal.map(|goal| format!("{goal:.0}")).unwrap_or_default();
        println!("{:<24}{whole:>22}{above:>26}{goal:>8}", case.name);
    }
    ExitCode::SUCCESS
}
