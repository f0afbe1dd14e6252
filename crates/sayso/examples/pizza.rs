//! A bot with state: every message is a topping, and no topping is ever lost or falsely confirmed.
//!
//! Run it with `SAYSO_AUTH=none cargo run --example pizza`; start several on one store and they
//! share the pizza.

use sayso::prelude::*;

#[derive(Default, Serialize, Deserialize)]
struct Order {
    toppings: Vec<String>,
}

async fn topping(mut turn: Turn) -> Result {
    let text = turn.text().to_owned();
    let order = turn.conversation::<Order>()?; // by reference; saved with the turn if it changed
    order.toppings.push(text);
    let line = format!("A pizza with {}.", order.toppings.join(" and "));
    turn.say(line); // leaves when, and only when, the order is saved
    Ok(())
}

#[tokio::main]
async fn main() -> Result {
    serve(Bot::new().on_message(topping)).await // :3978, embedded store
}

#[cfg(test)]
mod tests {
    use sayso::{Documents, pizza, run};

    use super::*;

    fn message(text: &str) -> Activity {
        let mut activity = Activity::from_json(
            br#"{"type":"message","id":"1","channelId":"test","conversation":{"id":"c"}}"#,
        );
        activity.as_mut().unwrap().text = Some(text.to_owned());
        activity.unwrap()
    }

    /// The words and documents after some toppings.
    async fn order(bot: &Bot, toppings: &[&str]) -> (Vec<String>, Documents) {
        let (mut words, mut documents) = (Vec::new(), Documents::new());
        for topping in toppings {
            let outcome = run(bot, message(topping), documents).await.unwrap();
            words.extend(outcome.replies.iter().map(|reply| reply.text().to_owned()));
            documents = outcome.documents;
        }
        (words, documents)
    }

    #[tokio::test]
    async fn toppings_add_up() {
        let (words, _) = order(&Bot::new().on_message(topping), &["ham", "olives"]).await;
        assert_eq!(words, ["A pizza with ham.", "A pizza with ham and olives."]);
    }

    /// Many instances, every fault, a thousand worlds: every topping is on every pizza.
    #[cfg(feature = "sim")]
    #[test]
    fn the_pizza_is_whole_whatever_happens() {
        let bot = || Bot::new().on_message(topping);
        let simulation = sayso::sim::simulate(bot).users(2).script(["ham", "olives", "basil"]);
        simulation.instances(3).seeds(1000).check(|world| {
            for user in 0..2 {
                let order: Order = world.state(user, "Order").expect("there is an order");
                assert_eq!(order.toppings.len(), 3);
                let last = format!("A pizza with {}.", order.toppings.join(" and "));
                assert!(world.replies(user).contains(&last), "{last} was never said");
            }
        });
    }

    #[tokio::test]
    async fn the_bot_that_the_command_serves_does_the_same() {
        let ours = order(&Bot::new().on_message(topping), &["ham", "corn", "ham"]).await;
        assert_eq!(ours, order(&pizza::bot(), &["ham", "corn", "ham"]).await);
    }
}
