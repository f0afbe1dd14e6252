//! Simulation: ten steps of a straight-line conversation in a world where everything goes wrong.
//!
//! The users say all their lines at once, in any order: the right answer must not hang on it, so
//! each line is a power of two and the sum of all tells whether every one was taken once.

use std::time::Duration;

use sayso_dialog::conversation::{Conversation, Late, Result, conversation, number};
use sayso_sim::simulate;
use sayso_turn::{Bot, BotError};
use serde::{Deserialize, Serialize};

/// The number of seeds that are played, unless `SAYSO_DIALOG_SEEDS` says otherwise.
const SEEDS: u64 = 200;
const LINES: u32 = 10;

#[derive(Default, Serialize, Deserialize)]
struct Steps {
    count: u32,
}

/// A number that must come within a year, or all is lost: clocks are wrong here, but not by that
/// much.
async fn next(c: Conversation) -> Result<u64> {
    let question = number("Next?").within(Duration::from_secs(365 * 24 * 3600), Late::Cancel);
    Ok(c.ask(question).await?)
}

/// Some numbers, each kept and forgotten.
async fn four(c: Conversation) -> Result<u64> {
    let (mut sum, first): (u64, u32) = c.kept()?.unwrap_or_default();
    for done in first..4 {
        sum += next(c.clone()).await?;
        c.keep(&(sum, done + 1))?;
    }
    Ok(sum)
}

async fn ten(c: Conversation) -> Result<()> {
    let mut sum: u64 = c.text()?.parse()?;
    for _ in 0..2 {
        sum += next(c.clone()).await?;
        c.state(|steps: &mut Steps| steps.count += 1)?;
    }
    sum += c.call("four", four).await?;
    for _ in 0..3 {
        let new = next(c.clone()).await?;
        sum += c.once("check", |_| async move { Ok::<_, BotError>(new) }).await?;
        sum += c.step("add", |_| async move { Ok::<_, BotError>(0) }).await?;
        c.state(|steps: &mut Steps| steps.count += 1)?;
    }
    c.say(format!("The sum is {sum}."));
    Ok(())
}

fn bot() -> Bot {
    conversation("ten", ten).bot()
}

#[test]
fn ten_steps_come_to_the_right_answer_whatever_goes_wrong() {
    let seeds = std::env::var("SAYSO_DIALOG_SEEDS").ok().and_then(|seeds| seeds.parse().ok());
    let script = (0..LINES).map(|line| (1_u64 << line).to_string());
    let world = simulate(bot).users(2).script(script).instances(3).seeds(seeds.unwrap_or(SEEDS));
    world.check(|world| {
        for user in 0..2 {
            let replies = world.replies(user);
            let (last, asked) = replies.split_last().unwrap();
            assert_eq!(last, "The sum is 1023.");
            assert_eq!(asked.len(), 9);
            assert!(asked.iter().all(|reply| reply == "Next?"), "{asked:?}");
            assert!(world.bag(user).get_raw("Conversation").is_none());
            let steps: Steps = world.state(user, "Steps").unwrap();
            assert_eq!(steps.count, 5);
        }
    });
}
