//! Every card by its name, and an answer to every button.
//!
//! Say `hero`, `thumbnail`, `receipt`, `signin`, `oauth`, `animation`, `audio`, `video`, `adaptive` or
//! `all`. The buttons work: those of a hero card say something, those of the adaptive card send a form
//! (`Action.Submit`) or put another card in place of this one (`Action.Execute`). Run it with
//! `cargo run --example cards`.

use sayso::{
    activity::{
        AdaptiveCard, AdaptiveCardInvoke, AdaptiveCardResponse, AnimationCard, AudioCard,
        CardAction, CardImage, HeroCard, OAuthCard, ReceiptCard, ReceiptItem, SigninCard,
        ThumbnailCard, VideoCard,
    },
    prelude::*,
};
use serde_json::json;

const NAMES: [&str; 9] =
    ["hero", "thumbnail", "receipt", "signin", "oauth", "animation", "audio", "video", "adaptive"];

/// What the form of the adaptive card holds.
#[derive(Serialize, Deserialize)]
struct Form {
    name: String,
}

/// The card of a name.
fn card(name: &str) -> Option<Attachment> {
    let picture = CardImage::new("https://example.org/pizza.png").with_alt("a pizza");
    Some(match name {
        "hero" => HeroCard::new("Hot, round and yours.")
            .with_title("Pizza")
            .with_image(picture)
            .with_button(CardAction::im_back("receipt"))
            .with_button(CardAction::message_back("Order", "order", json!({ "size": "large" })))
            .with_button(CardAction::open_url("Read", "https://example.org/menu"))
            .attach(),
        "thumbnail" => ThumbnailCard::new("12 km north").with_title("Frascati").attach(),
        "receipt" => ReceiptCard::new("Pizza & Co.")
            .with_fact("Order", "1234")
            .with_item(ReceiptItem::new("Margherita", "8.50 €").with_quantity("2"))
            .with_vat("1.55 €")
            .with_total("17.00 €")
            .attach(),
        "signin" => SigninCard::new("Who are you?", "Sign in", "https://example.org/in").attach(),
        "oauth" => OAuthCard::new("Who are you?", "pizza")
            .with_button("Sign in", "https://example.org/oauth")
            .attach(),
        "animation" => AnimationCard::new("https://example.org/oven.gif").attach(),
        "audio" => AudioCard::new("https://example.org/bell.mp3").played_on_request().attach(),
        "video" => VideoCard::new("https://example.org/oven.mp4")
            .with_title("The oven")
            .with_image("https://example.org/oven.png")
            .attach(),
        "adaptive" => form().attach(),
        _ => return None,
    })
}

fn form() -> AdaptiveCard {
    AdaptiveCard::new(json!({
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": [{ "type": "Input.Text", "id": "name", "label": "Your name" }],
        "actions": [
            { "type": "Action.Submit", "title": "Send" },
            { "type": "Action.Execute", "title": "Greet me here", "verb": "greet" },
        ],
    }))
}

fn greeting(name: &str) -> AdaptiveCard {
    AdaptiveCard::new(json!({
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": [{ "type": "TextBlock", "text": format!("Hello, {name}!") }],
    }))
}

async fn show(mut turn: Turn) -> Result {
    let value = turn.activity().value.clone();
    match turn.text().trim().to_lowercase().as_str() {
        "all" => {
            let cards = NAMES.iter().filter_map(|name| card(name));
            let message = cards.fold(Activity::message("All of them:"), Activity::with_attachment);
            turn.send(message.with_carousel())
        }
        "order" => turn.say("Ordered."),
        // `Action.Submit` comes as a message without a text; the form is its value.
        "" => match value.and_then(|value| value.get::<Form>().ok()) {
            Some(form) => turn.say(format!("Your name is {}.", form.name)),
            None => turn.say("That form is not mine."),
        },
        name => match card(name) {
            Some(card) => turn.send(Activity::message("").with_attachment(card)),
            None => {
                let buttons = NAMES.map(CardAction::im_back);
                turn.send(Activity::message("Which card?").with_buttons(buttons))
            }
        },
    };
    Ok(())
}

/// `Action.Execute` is an invoke: what is given here, the client shows in place of the card.
async fn press(_turn: Turn, press: AdaptiveCardInvoke) -> Result<AdaptiveCardResponse> {
    Ok(match (press.verb(), press.data::<Form>()) {
        ("greet", Ok(form)) => AdaptiveCardResponse::card(&greeting(&form.name)),
        ("greet", Err(_)) => AdaptiveCardResponse::message("Write your name first."),
        _ => AdaptiveCardResponse::error(404, "UnknownVerb", "this card has no such button"),
    })
}

fn bot() -> Bot {
    Bot::new().on_message(show).on_card_action(press)
}

#[tokio::main]
async fn main() -> Result {
    sayso::serve(bot()).await
}

#[cfg(test)]
mod tests {
    use sayso::testing::chat;
    use serde_json::Value;

    use super::*;

    fn message_back(value: &Value) -> Activity {
        Activity::message("").with_value(value).unwrap()
    }

    fn execute(action: &Value) -> Activity {
        let invoke = Activity::new(Kind::Invoke).with_value(&json!({ "action": action })).unwrap();
        Activity { name: Some(AdaptiveCardInvoke::NAME.to_owned()), ..invoke }
    }

    #[tokio::test]
    async fn every_card_has_a_name() {
        for name in NAMES {
            chat(bot()).user(name).expects_card(name).expects_nothing().await;
        }
        let is_carousel = |all: &Activity| {
            let layout: Option<String> = all.member("attachmentLayout");
            let count = all.attachments.as_ref().map_or(0, Vec::len);
            count == NAMES.len() && layout.as_deref() == Some("carousel")
        };
        chat(bot()).user("all").expects_activity(is_carousel).await;
        let offers_all = |reply: &Activity| reply.buttons().len() == NAMES.len();
        chat(bot()).user("what?").expects_activity(offers_all).await;
    }

    #[tokio::test]
    async fn the_buttons_of_the_hero_card_are_answered() {
        let card: HeroCard = card("hero").unwrap().content.unwrap().get().unwrap();
        let [receipt, order, _] = card.buttons.unwrap().try_into().unwrap();
        chat(bot())
            .user(receipt.value.unwrap().get::<String>().unwrap())
            .expects_card("receipt")
            .user(order.text.unwrap())
            .expects("Ordered.")
            .await;
    }

    #[tokio::test]
    async fn a_form_that_is_submitted_is_read() {
        chat(bot())
            .activity(message_back(&json!({ "name": "Ann" })))
            .expects("Your name is Ann.")
            .activity(message_back(&json!({ "colour": "red" })))
            .expects("That form is not mine.")
            .await;
    }

    #[tokio::test]
    async fn a_button_that_executes_puts_another_card_in_place_of_its_own() {
        let greet = json!({ "type": "Action.Execute", "verb": "greet", "data": { "name": "Ann" } });
        for (action, status, part) in [
            (greet, 200, r#""value":{"body":[{"text":"Hello, Ann!","#),
            (json!({ "type": "Action.Execute", "verb": "greet" }), 200, "Write your name first."),
            (json!({ "type": "Action.Execute", "verb": "eat" }), 200, "UnknownVerb"),
            (json!({ "type": "Action.Submit" }), 400, "NotSupported"),
        ] {
            chat(bot())
                .activity(execute(&action))
                .expects_response(move |response| {
                    let body = response.body.as_ref().map(|body| body.as_str().to_owned());
                    assert_eq!(response.status, status, "{body:?}");
                    assert!(body.as_ref().unwrap().contains(part), "{body:?}");
                })
                .await;
        }
    }
}
