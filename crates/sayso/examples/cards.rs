//! Every card by its name, and an answer to every button.
//!
//! Say `hero`, `thumbnail`, `receipt`, `signin`, `oauth`, `animation`, `audio`, `video`, `adaptive`
//! or `all`. The buttons work: those of a hero card say something, those of the adaptive card send
//! a form (`Action.Submit`) or put another card in place of this one (`Action.Execute`). Messages
//! change in place: a card when its pizza is ordered, a form when it is sent, an order when the
//! pizza is ready; `cancel` takes an order back. Run it with `SAYSO_AUTH=none cargo run --example
//! cards`.

use std::time::Duration;

use sayso::{
    activity::{
        Account, AdaptiveCard, AdaptiveCardInvoke, AdaptiveCardResponse, AnimationCard, AudioCard,
        CardAction, CardImage, HeroCard, OAuthCard, ReceiptCard, ReceiptItem, SigninCard,
        ThumbnailCard, VideoCard,
    },
    prelude::*,
};
use serde_json::json;

const NAMES: [&str; 9] =
    ["hero", "thumbnail", "receipt", "signin", "oauth", "animation", "audio", "video", "adaptive"];

/// Fields of the adaptive card's form.
#[derive(Serialize, Deserialize)]
struct Form {
    name: String,
}

/// Ids of messages to be updated later.
#[derive(Default, Serialize, Deserialize)]
struct Waiting {
    /// The hero card, updated when its button is pressed.
    hero: Option<MessageId>,
    /// The form, updated when it is sent.
    form: Option<MessageId>,
    /// The order, updated when the pizza is ready.
    order: Option<MessageId>,
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

fn which() -> Activity {
    Activity::message("Which card?").with_buttons(NAMES.map(CardAction::im_back))
}

fn with(card: Attachment) -> Activity {
    Activity::message("").with_attachment(card)
}

async fn welcome(mut turn: Turn, _members: Vec<Account>) -> Result {
    turn.send(which());
    Ok(())
}

async fn hear(mut turn: Turn) -> Result {
    match turn.text().trim().to_lowercase().as_str() {
        "all" => {
            let cards = NAMES.iter().filter_map(|name| card(name));
            let message = cards.fold(Activity::message("All of them:"), Activity::with_attachment);
            turn.send(message.with_carousel());
        }
        "order" => order(&mut turn).await?,
        "cancel" => cancel(&mut turn)?,
        // `Action.Submit` comes as a message without a text.
        "" => submit(&mut turn)?,
        name => show(&mut turn, name)?,
    }
    Ok(())
}

fn show(turn: &mut Turn, name: &str) -> Result {
    let Some(card) = card(name) else {
        turn.send(which());
        return Ok(());
    };
    let message = turn.send(with(card));
    let waiting = turn.conversation::<Waiting>()?;
    match name {
        "hero" => waiting.hero = Some(message),
        "adaptive" => waiting.form = Some(message),
        _ => {}
    }
    Ok(())
}

/// Orders a pizza, which takes a moment. The card with the buttons becomes one without.
async fn order(turn: &mut Turn) -> Result {
    turn.show(Activity::typing()); // at once, not with the turn
    tokio::time::sleep(Duration::from_secs(1)).await;
    if let Some(hero) = turn.conversation::<Waiting>()?.hero.take() {
        turn.update(&hero, with(HeroCard::new("In the oven.").with_title("Pizza").attach()));
    }
    let order = turn.say("Ordered.");
    turn.conversation::<Waiting>()?.order = Some(order);
    turn.after(Duration::from_secs(2), Activity::event("baked"));
    Ok(())
}

/// Timer: the pizza is ready, so the message of the order is updated.
async fn baked(mut turn: Turn) -> Result {
    if let Some(order) = turn.conversation::<Waiting>()?.order.take() {
        turn.update(&order, Activity::message("Your pizza is ready."));
    }
    Ok(())
}

/// Cancels an order: its message is deleted, where the channel can do that.
fn cancel(turn: &mut Turn) -> Result {
    match turn.conversation::<Waiting>()?.order.take() {
        Some(order) => {
            turn.delete(&order);
            turn.say("Cancelled.");
        }
        None => drop(turn.say("There is nothing to cancel.")),
    }
    Ok(())
}

/// Reads the form, which is the value of the message, and puts a greeting in its place.
fn submit(turn: &mut Turn) -> Result {
    let value = turn.activity().value.as_ref();
    let Some(Form { name }) = value.and_then(|value| value.get().ok()) else {
        turn.say("Sorry, I do not know that form.");
        return Ok(());
    };
    if let Some(form) = turn.conversation::<Waiting>()?.form.take() {
        turn.update(&form, with(greeting(&name).attach()));
    }
    turn.say(format!("Your name is {name}."));
    Ok(())
}

/// `Action.Execute` is an invoke: what is given here, the client shows in place of the card.
async fn press(_turn: Turn, press: AdaptiveCardInvoke) -> Result<AdaptiveCardResponse> {
    Ok(match (press.verb(), press.data::<Form>()) {
        ("greet", Ok(form)) => AdaptiveCardResponse::card(&greeting(&form.name)),
        ("greet", Err(_)) => AdaptiveCardResponse::message("Please enter your name first."),
        _ => AdaptiveCardResponse::error(404, "UnknownVerb", "this card has no such button"),
    })
}

fn bot() -> Bot {
    Bot::new()
        .on_members_added(welcome)
        .on_message(hear)
        .on_card_action(press)
        .on_event("baked", baked)
}

#[tokio::main]
async fn main() -> Result {
    serve(bot()).await
}

#[cfg(test)]
mod tests {
    use sayso::{activity::Kind, testing::chat};
    use serde_json::Value;

    use super::*;

    fn message_back(value: &Value) -> Activity {
        Activity::message("").with_value(value).unwrap()
    }

    /// Checks that a reply updates an earlier message to one with these words.
    fn changes(reply: &Activity, words: &str) -> bool {
        let json = String::from_utf8(reply.to_json()).unwrap();
        reply.kind == Kind::MessageUpdate && reply.id.is_some() && json.contains(words)
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
        chat(bot()).joins().expects_activity(offers_all).await;
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
    async fn an_order_changes_its_card_at_once_and_itself_when_the_pizza_is_ready() {
        chat(bot())
            .user("hero")
            .expects_card("hero")
            .user("order")
            .expects_activity(|reply: &Activity| changes(reply, "In the oven."))
            .expects("Ordered.")
            .passes(Duration::from_secs(2))
            .expects_activity(|reply: &Activity| changes(reply, "Your pizza is ready."))
            .await;
    }

    #[tokio::test]
    async fn an_order_that_is_cancelled_is_deleted_and_never_ready() {
        chat(bot())
            .user("order")
            .expects("Ordered.")
            .user("cancel")
            .expects_kind(Kind::MessageDelete)
            .expects("Cancelled.")
            .passes(Duration::from_secs(2))
            .expects_nothing()
            .user("cancel")
            .expects("There is nothing to cancel.")
            .await;
    }

    #[tokio::test]
    async fn a_form_that_is_submitted_is_read_and_changed() {
        chat(bot())
            .user("adaptive")
            .expects_card("adaptive")
            .activity(message_back(&json!({ "name": "Ann" })))
            .expects_activity(|reply: &Activity| changes(reply, "Hello, Ann!"))
            .expects("Your name is Ann.")
            .activity(message_back(&json!({ "colour": "red" })))
            .expects("Sorry, I do not know that form.")
            .await;
    }

    #[tokio::test]
    async fn a_button_that_executes_puts_another_card_in_place_of_its_own() {
        let greet = json!({ "type": "Action.Execute", "verb": "greet", "data": { "name": "Ann" } });
        for (action, status, part) in [
            (greet, 200, r#""value":{"body":[{"text":"Hello, Ann!","#),
            (
                json!({ "type": "Action.Execute", "verb": "greet" }),
                200,
                "Please enter your name first.",
            ),
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
