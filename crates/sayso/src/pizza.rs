//! The pizza bot: every message is a topping, every reply says what is on the pizza.
//!
//! It is the smallest bot on which lost updates and false words can be seen, so `sayso serve`,
//! `sayso chat` and `sayso race` all run this one.

use std::sync::Arc;

use sayso_turn::{Bot, Failure, Turn};
use serde::{Deserialize, Serialize};

use crate::Result;

/// The bot's state of a conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// The toppings in the order in which their turns committed.
    pub toppings: Vec<String>,
}

impl Order {
    /// The bot's sentence about this order.
    ///
    /// # Example
    /// ```
    /// use sayso::pizza::Order;
    ///
    /// let order = Order { toppings: vec!["ham".into(), "olives".into()] };
    /// assert_eq!(order.sentence(), "A pizza with ham and olives.");
    /// ```
    #[must_use]
    pub fn sentence(&self) -> String {
        format!("A pizza with {}.", self.toppings.join(" and "))
    }
}

/// The bot. A message is a topping; `new pizza` starts over.
///
/// # Example
/// ```
/// use sayso::{Documents, activity::Activity, pizza, run};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> sayso::Result {
/// let olives = Activity::from_json(
///     br#"{"type":"message","id":"1","channelId":"test","conversation":{"id":"c"},"text":"olives"}"#,
/// )?;
/// let outcome = run(&pizza::bot(), olives, Documents::new()).await?;
/// assert_eq!(outcome.replies[0].text(), "A pizza with olives.");
/// # Ok(()) }
/// ```
#[must_use]
pub fn bot() -> Bot {
    Bot::new().on_message(topping).on_joined(greet).on_error(sorry)
}

async fn topping(mut turn: Turn) -> Result {
    let text = turn.text().trim().to_owned();
    let order = turn.conversation::<Order>()?;
    let line = match text.as_str() {
        "" => "Name a topping.".to_owned(),
        "new pizza" => {
            order.toppings.clear();
            "A new pizza. What goes on it?".to_owned()
        }
        _ => {
            order.toppings.push(text);
            order.sentence()
        }
    };
    turn.say(line);
    Ok(())
}

async fn greet(mut turn: Turn) -> Result {
    turn.say("Welcome! Name a topping, or say `new pizza` to start over.");
    Ok(())
}

async fn sorry(mut turn: Turn, _failure: Arc<Failure>) -> Result {
    turn.say("Sorry, that did not work. Nothing was changed.");
    Ok(())
}

#[cfg(test)]
mod tests {
    use sayso_turn::{Bag, Documents, Key, run};

    use super::*;
    use crate::activity::Activity;

    async fn said(activity: &str, documents: Documents) -> (Vec<String>, Documents) {
        let head =
            r#""id":"1","channelId":"test","conversation":{"id":"c"},"recipient":{"id":"bot"}"#;
        let activity = Activity::from_json(format!("{{{head},{activity}}}").as_bytes()).unwrap();
        let outcome = run(&bot(), activity, documents).await.unwrap();
        let replies = outcome.replies.iter().map(|reply| reply.text().to_owned()).collect();
        (replies, outcome.documents)
    }

    fn message(text: &str) -> String {
        format!(r#""type":"message","text":"{text}""#)
    }

    #[tokio::test]
    async fn toppings_add_up_until_a_new_pizza() {
        let (replies, documents) = said(&message(" ham "), Documents::new()).await;
        assert_eq!(replies, ["A pizza with ham."]);
        let (replies, documents) = said(&message("olives"), documents).await;
        assert_eq!(replies, ["A pizza with ham and olives."]);
        let (_, documents) = said(&message("new pizza"), documents).await;
        let (replies, _) = said(&message("corn"), documents).await;
        assert_eq!(replies, ["A pizza with corn."]);
    }

    #[tokio::test]
    async fn whoever_joins_is_greeted_but_not_the_bot_itself() {
        let joined = r#""type":"conversationUpdate","membersAdded":[{"id":"ann"}]"#;
        let (replies, documents) = said(joined, Documents::new()).await;
        assert!(replies[0].starts_with("Welcome!"), "{replies:?}");
        let bot = r#""type":"conversationUpdate","membersAdded":[{"id":"bot"}]"#;
        assert!(said(bot, documents).await.0.is_empty());
    }

    #[tokio::test]
    async fn a_state_that_is_not_ours_fails_the_turn() {
        let key = Key::conversation("test", "c").unwrap();
        let bag = Bag::from_json(r#"{"Order":"not an order"}"#).unwrap();
        let documents = Documents::from([(key, bag)]);
        let activity = Activity::from_json(
            br#"{"type":"message","channelId":"test","conversation":{"id":"c"},"text":"ham"}"#,
        );
        assert!(run(&bot(), activity.unwrap(), documents).await.is_err());
    }
}
