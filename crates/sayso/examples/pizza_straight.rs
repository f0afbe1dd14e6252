//! Ordering a pizza, written straight down: one async function that asks and gets its answers.
//!
//! The function is suspended at every `ask` for as long as the user takes, over restarts and
//! deployments, on any instance. Run it with `SAYSO_AUTH=none cargo run --example pizza_straight`.

use sayso::prelude::*;

struct Order {
    size: String,
    toppings: String,
}

async fn order(c: Conversation) -> Result<Option<Order>> {
    let sizes = choice("What size?", ["small", "medium", "large"]);
    let size = c.ask(sizes.retry("We have small, medium and large ones.")).await?;
    let toppings = c.ask(text("Which toppings?")).await?;
    let is_wanted = c.ask(confirm(format!("A {size} pizza with {toppings}?"))).await?;
    Ok(is_wanted.then_some(Order { size, toppings }))
}

async fn done(mut turn: Turn, order: Option<Order>) -> Result {
    turn.say(match order {
        Some(Order { size, toppings }) => {
            format!("Your {size} pizza with {toppings} is in the oven.")
        }
        None => "Okay, order cancelled.".to_owned(),
    });
    Ok(())
}

fn bot() -> Bot {
    conversation("order", order)
        .cancel_words(["cancel", "stop"])
        .on_cancel("Cancelled.")
        .help("I bake pizzas. Say cancel to stop.")
        .on_done(done)
        .bot()
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
            .expects_containing("We have small, medium and large ones.")
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
    async fn help_and_cancel_work_at_every_question() {
        chat_with(bot)
            .user("hello")
            .expects_containing("What size?")
            .user("help")
            .expects("I bake pizzas. Say cancel to stop.")
            .expects_containing("What size?")
            .user("stop")
            .expects("Cancelled.")
            .user("hello")
            .expects_containing("What size?")
            .await;
    }

    /// Three questions in their order, on three instances, in worlds where everything goes wrong.
    #[cfg(feature = "sim")]
    #[test]
    fn three_questions_are_asked_and_answered_in_order_whatever_happens() {
        let world = sayso::sim::simulate(bot).users(2).instances(3);
        world.conversation(["hello", "large", "ham", "yes"]).seeds(300).check(|world| {
            for user in 0..2 {
                let replies = world.replies(user);
                let [size, toppings, question, done] = replies.as_slice() else {
                    panic!("four replies, not {replies:?}");
                };
                assert!(size.starts_with("What size?"), "{size}");
                assert_eq!(toppings, "Which toppings?");
                assert!(question.starts_with("A large pizza with ham?"), "{question}");
                assert_eq!(done, "Your large pizza with ham is in the oven.");
            }
        });
    }
}
