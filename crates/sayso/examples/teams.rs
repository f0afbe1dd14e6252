//! Invokes as Teams sends them: a form in a window, a search while one types, buttons of a card.
//!
//! An invoke waits for its answer, which is saved with the turn: one that comes twice changes
//! nothing and gets the same answer. What the bot has no handler for gets the status 501. Run it
//! with `SAYSO_AUTH=none cargo run --example teams`, say `order` in Teams or the Agents Playground,
//! or try
//!
//! ```sh
//! curl -i http://127.0.0.1:3978/api/messages -H 'content-type: application/json' -d '{"type":"invoke",
//!   "id":"1","name":"composeExtension/query","channelId":"test","conversation":{"id":"c"},
//!   "serviceUrl":"http://localhost","value":{"commandId":"find","parameters":[{"name":"text","value":"fun"}]}}'
//! ```

use sayso::{
    activity::{AdaptiveCard, AdaptiveCardInvoke, AdaptiveCardResponse, HeroCard},
    prelude::*,
};
use serde_json::{Value, json};

const MENU: [&str; 3] = ["Margherita", "Funghi", "Quattro stagioni"];

/// The order of a conversation: all who take part add to it.
#[derive(Default, Serialize, Deserialize)]
struct Order {
    pizzas: Vec<String>,
}

impl Order {
    fn card(&self) -> AdaptiveCard {
        let text = match self.pizzas.is_empty() {
            true => "Nothing yet.".to_owned(),
            false => self.pizzas.join(", "),
        };
        let one_more = |pizza| json!({ "type": "Action.Execute", "title": pizza, "verb": "add", "data": { "pizza": pizza } });
        AdaptiveCard::new(json!({
            "type": "AdaptiveCard",
            "version": "1.4",
            "body": [{ "type": "TextBlock", "text": text, "wrap": true }],
            "actions": MENU.map(one_more),
        }))
    }

    fn message(&self) -> Activity {
        Activity::message("").with_attachment(self.card().attach())
    }
}

async fn show(mut turn: Turn) -> Result {
    let message = turn.conversation::<Order>()?.message();
    turn.send(message);
    Ok(())
}

#[derive(Deserialize)]
struct Pizza {
    pizza: String,
}

/// `adaptiveCard/action`: somebody pressed a button of the card. The answer changes the card for
/// them, the update changes it for everybody else.
async fn press(mut turn: Turn, press: AdaptiveCardInvoke) -> Result<AdaptiveCardResponse> {
    let ("add", Ok(Pizza { pizza })) = (press.verb(), press.data()) else {
        return Ok(AdaptiveCardResponse::error(404, "UnknownVerb", "this card has no such button"));
    };
    let message = turn.activity().reply_to_id.clone().map(MessageId::of_channel);
    let order = turn.conversation::<Order>()?;
    order.pizzas.push(pizza);
    let (card, changed) = (order.card(), order.message());
    if let Some(message) = message {
        turn.update(&message, changed);
    }
    Ok(AdaptiveCardResponse::card(&card))
}

/// `task/fetch`: a window is to be opened; the answer is what it shows. There is no type for it, so
/// it is JSON as Teams documents it.
async fn open(mut turn: Turn) -> Result {
    let form = AdaptiveCard::new(json!({
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": [{ "type": "Input.Text", "id": "pizza", "label": "Which pizza?" }],
        "actions": [{ "type": "Action.Submit", "title": "Order" }],
    }));
    let window = json!({ "title": "A pizza of your own", "height": "small", "width": "small",
        "card": form.attach() });
    turn.respond(200, &json!({ "task": { "type": "continue", "value": window } }))?;
    Ok(())
}

/// `task/submit`: the form of the window was sent.
async fn submit(mut turn: Turn) -> Result {
    #[derive(Deserialize)]
    struct Submitted {
        data: Pizza,
    }
    let value = turn.activity().value.clone();
    let Some(Submitted { data }) = value.and_then(|value| value.get().ok()) else {
        turn.respond(400, &json!({ "error": "the form has no pizza" }))?;
        return Ok(());
    };
    turn.conversation::<Order>()?.pizzas.push(data.pizza.clone());
    turn.say(format!("One more {}, coming up.", data.pizza));
    turn.respond(200, &json!({ "task": { "type": "message", "value": "Ordered." } }))?;
    Ok(())
}

/// `composeExtension/query`: what fits while somebody types.
async fn search(mut turn: Turn) -> Result {
    let query: Option<Value> = turn.activity().value.as_ref().and_then(|value| value.get().ok());
    let wanted = query.as_ref().and_then(|query| query.pointer("/parameters/0/value")?.as_str());
    let wanted = wanted.unwrap_or_default().to_lowercase();
    let fitting = MENU.iter().filter(|pizza| pizza.to_lowercase().contains(&wanted));
    let found: Vec<Attachment> = fitting.map(|pizza| HeroCard::new(*pizza).attach()).collect();
    let result = json!({ "type": "result", "attachmentLayout": "list", "attachments": found });
    turn.respond(200, &json!({ "composeExtension": result }))?;
    Ok(())
}

fn bot() -> Bot {
    Bot::new()
        .on_message(show)
        .on_card_action(press)
        .on_invoke("task/fetch", open)
        .on_invoke("task/submit", submit)
        .on_invoke("composeExtension/query", search)
}

#[tokio::main]
async fn main() -> Result {
    serve(bot()).await
}

#[cfg(test)]
mod tests {
    use sayso::{activity::Kind, testing::chat, turn::Response};

    use super::*;

    fn invoke(name: &str, value: &Value) -> Activity {
        let invoke = Activity::new(Kind::Invoke).with_value(value).unwrap();
        Activity { name: Some(name.to_owned()), ..invoke }
    }

    fn add(pizza: &str) -> Activity {
        let action = json!({ "type": "Action.Execute", "verb": "add", "data": { "pizza": pizza } });
        let press = invoke(AdaptiveCardInvoke::NAME, &json!({ "action": action }));
        Activity { reply_to_id: Some("the card".to_owned()), ..press }
    }

    fn body(response: &Response) -> Value {
        assert_eq!(response.status, 200, "{response:?}");
        response.body.as_ref().unwrap().get().unwrap()
    }

    fn is_card_of(activity: &Activity, kind: &Kind, text: &str) {
        assert_eq!(activity.kind, *kind);
        let card = activity.attachments.as_ref().unwrap()[0].content.clone().unwrap();
        let card: Value = card.get().unwrap();
        assert_eq!(card["body"][0]["text"], text);
    }

    #[tokio::test]
    async fn a_press_changes_the_card_for_who_pressed_and_for_all_others() {
        chat(bot())
            .user("order")
            .expects_activity(|card| is_card_of(card, &Kind::Message, "Nothing yet."))
            .activity(add("Funghi"))
            .expects_response(|it| assert_eq!(body(it)["value"]["body"][0]["text"], "Funghi"))
            .expects_activity(|card| is_card_of(card, &Kind::MessageUpdate, "Funghi"))
            .again() // the channel delivers it twice: the same answer, and one pizza
            .expects_response(|it| assert_eq!(body(it)["value"]["body"][0]["text"], "Funghi"))
            .expects_nothing()
            .activity(add("Margherita"))
            .expects_activity(|card| is_card_of(card, &Kind::MessageUpdate, "Funghi, Margherita"))
            .await;
    }

    #[tokio::test]
    async fn a_window_is_opened_and_its_form_is_read() {
        chat(bot())
            .activity(invoke("task/fetch", &json!({ "data": { "type": "task/fetch" } })))
            .expects_response(|it| assert_eq!(body(it)["task"]["type"], "continue"))
            .activity(invoke("task/submit", &json!({ "data": { "pizza": "Funghi" } })))
            .expects("One more Funghi, coming up.")
            .expects_response(|it| assert_eq!(body(it)["task"]["value"], "Ordered."))
            .activity(invoke("task/submit", &json!({ "data": 7 })))
            .expects_response(|it| assert_eq!(it.status, 400))
            .expects_nothing()
            .await;
    }

    #[tokio::test]
    async fn a_search_gives_what_fits() {
        for (wanted, found) in [("fun", 1), ("", 3), ("sushi", 0)] {
            let parameters = json!([{ "name": "text", "value": wanted }]);
            let query = json!({ "commandId": "find", "parameters": parameters });
            chat(bot())
                .activity(invoke("composeExtension/query", &query))
                .expects_response(move |it| {
                    let body = body(it);
                    let cards = body["composeExtension"]["attachments"].as_array().unwrap();
                    assert_eq!(cards.len(), found, "{wanted}");
                })
                .await;
        }
    }

    #[tokio::test]
    async fn an_invoke_that_nobody_handles_gets_501() {
        let store = sayso::open_store("memory://").await.unwrap();
        let server = Server::new(bot()).unauthenticated().store(store).address(([127, 0, 0, 1], 0));
        let running = server.start().await.unwrap();
        for (name, status) in [("task/fetch", 200), ("fileConsent/invoke", 501)] {
            let invoke = json!({ "type": "invoke", "id": name, "name": name, "channelId": "test",
                "conversation": { "id": "c" }, "serviceUrl": "http://localhost", "value": {} });
            let url = format!("{}/api/messages", running.url());
            let answer = reqwest::Client::new().post(url).json(&invoke).send().await.unwrap();
            assert_eq!(answer.status().as_u16(), status, "{name}");
        }
        assert_eq!(running.stop().await, 0);
    }
}
