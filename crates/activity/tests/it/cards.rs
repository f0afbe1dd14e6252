//! Cards as a bot builds them, against the JSON that a channel gets.

use sayso_activity::{
    Activity, AdaptiveCard, AnimationCard, Attachment, AudioCard, CardAction, CardImage, HeroCard,
    OAuthCard, ReceiptCard, ReceiptItem, SigninCard, ThumbnailCard, TokenExchangeResource,
    VideoCard,
};
use serde_json::{Value, json};

fn hero() -> Attachment {
    HeroCard::new("text")
        .with_title("title")
        .with_subtitle("subtitle")
        .with_image("https://a/1.png")
        .with_image(
            CardImage::new("https://a/2.png")
                .with_alt("two")
                .with_tap(CardAction::open_url("See", "https://a")),
        )
        .with_button(CardAction::post_back("Post", json!({ "n": 1 })))
        .with_button(CardAction::message_back("Back", "said", "v").with_image("https://i", "icon"))
        .with_tap(CardAction::im_back("Tap"))
        .attach()
}

fn receipt() -> Attachment {
    let item = ReceiptItem::new("Pizza", "8.50").with_quantity("2").with_subtitle("large");
    ReceiptCard::new("Shop")
        .with_fact("Order", "7")
        .with_item(item.with_image("https://a/p.png"))
        .with_tax("1.00")
        .with_vat("2.00")
        .with_total("17.00")
        .with_button(CardAction::open_url("Bill", "https://b"))
        .attach()
}

fn hero_content() -> Value {
    json!({
        "title": "title", "subtitle": "subtitle", "text": "text",
        "images": [{ "url": "https://a/1.png" }, { "url": "https://a/2.png", "alt": "two",
            "tap": { "type": "openUrl", "title": "See", "value": "https://a" } }],
        "buttons": [{ "type": "postBack", "title": "Post", "value": { "n": 1 } },
            { "type": "messageBack", "title": "Back", "displayText": "Back", "text": "said",
              "value": "v", "image": "https://i", "imageAltText": "icon" }],
        "tap": { "type": "imBack", "title": "Tap", "value": "Tap" },
    })
}

fn receipt_content() -> Value {
    json!({
        "title": "Shop", "facts": [{ "key": "Order", "value": "7" }],
        "items": [{ "title": "Pizza", "subtitle": "large", "price": "8.50", "quantity": "2",
            "image": { "url": "https://a/p.png" } }],
        "total": "17.00", "tax": "1.00", "vat": "2.00",
        "buttons": [{ "type": "openUrl", "title": "Bill", "value": "https://b" }],
    })
}

#[test]
fn every_card_is_the_json_that_its_channel_expects() {
    let sign_in = json!({ "type": "signin", "title": "Go", "value": "https://s" });
    let table: [(Attachment, &str, Value); 9] = [
        (hero(), "hero", hero_content()),
        (
            ThumbnailCard::new("t").with_image("https://a").attach(),
            "thumbnail",
            json!({ "text": "t", "images": [{ "url": "https://a" }] }),
        ),
        (receipt(), "receipt", receipt_content()),
        (
            SigninCard::new("Who?", "Go", "https://s").attach(),
            "signin",
            json!({ "text": "Who?", "buttons": [sign_in] }),
        ),
        (
            OAuthCard::new("Who?", "mail")
                .with_button("Go", "https://s")
                .with_exchange(TokenExchangeResource::new("1", "api://x"))
                .attach(),
            "oauth",
            json!({ "text": "Who?", "connectionName": "mail", "buttons": [sign_in],
                "tokenExchangeResource": { "id": "1", "uri": "api://x" } }),
        ),
        (
            AnimationCard::new("https://a.gif").with_title("t").with_text("x").attach(),
            "animation",
            json!({ "title": "t", "text": "x", "media": [{ "url": "https://a.gif" }] }),
        ),
        (
            AudioCard::new("https://a.mp3").played_on_request().attach(),
            "audio",
            json!({ "media": [{ "url": "https://a.mp3" }], "autostart": false, "autoloop": false }),
        ),
        (
            VideoCard::new("https://1")
                .with_media("https://2")
                .with_image("https://i")
                .with_button(CardAction::im_back("Stop"))
                .attach(),
            "video",
            json!({ "media": [{ "url": "https://1" }, { "url": "https://2" }],
                "image": { "url": "https://i" },
                "buttons": [{ "type": "imBack", "title": "Stop", "value": "Stop" }] }),
        ),
        (
            AdaptiveCard::new(json!({ "type": "AdaptiveCard" })).attach(),
            "adaptive",
            json!({ "type": "AdaptiveCard" }),
        ),
    ];
    for (attachment, sort, content) in table {
        let content_type = format!("application/vnd.microsoft.card.{sort}");
        let expected = json!({ "contentType": content_type, "content": content });
        let written = serde_json::to_value(&attachment).unwrap();
        assert_eq!(written, expected, "{sort}");
        // A bot that reads the JSON gets the card that was built.
        let again: Attachment = serde_json::from_value::<Value>(written)
            .map(|value| serde_json::from_str(&value.to_string()).unwrap())
            .unwrap();
        let message = Activity::message("").with_attachment(again);
        let message = Activity::from_json(&message.to_json()).unwrap();
        let [attachment] = message.attachments.unwrap().try_into().unwrap();
        assert_eq!(serde_json::to_value(attachment).unwrap(), expected, "{sort}");
    }
}

#[test]
fn a_card_is_read_from_its_attachment() {
    let card: HeroCard = hero().content.unwrap().get().unwrap();
    assert_eq!(card.buttons.unwrap()[0].kind.as_deref(), Some(CardAction::POST_BACK));
    assert_eq!(card.images.unwrap()[1].alt.as_deref(), Some("two"));
    let card: ReceiptCard = receipt().content.unwrap().get().unwrap();
    assert_eq!(card.items.unwrap()[0].quantity.as_deref(), Some("2"));
}

#[test]
fn what_is_not_json_is_no_adaptive_card() {
    assert!(AdaptiveCard::from_text("{").is_err());
    let text = r#"{ "type":"AdaptiveCard", "n": 1e400 }"#;
    let card = AdaptiveCard::from_text(text).unwrap();
    assert_eq!(card.attach().content.unwrap().as_str(), text);
}
