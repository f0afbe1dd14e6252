//! The sign-in card.

use sayso_activity::{Activity, Attachment};
use serde_json::{Value, json};

use super::SignIn;

/// The card that the channel of an activity can show.
pub(super) fn of(
    inbound: &Activity,
    connection: &str,
    title: &str,
    text: Option<&str>,
    sign_in: SignIn,
) -> Result<Attachment, serde_json::Error> {
    let channel = inbound.channel();
    let text = text.map_or(Value::Null, Value::from);
    if ["cortana", "skype", "skypeforbusiness"].contains(&channel) {
        let button = json!({ "type": "signin", "title": title, "value": sign_in.link });
        let card = json!({ "text": text, "buttons": [button] });
        return Attachment::with_content("application/vnd.microsoft.card.signin", &card);
    }
    let mut button = json!({ "type": "signin", "title": title });
    // Only Teams needs the link; elsewhere the channel makes one that nobody else can use.
    if channel == "msteams"
        && let Some(members) = button.as_object_mut()
    {
        members.insert("value".to_owned(), sign_in.link.into());
    }
    let mut card = json!({ "text": text, "connectionName": connection, "buttons": [button] });
    if let (Some(exchange), Some(members)) = (sign_in.exchange, card.as_object_mut()) {
        members.insert("tokenExchangeResource".to_owned(), exchange);
    }
    Attachment::with_content("application/vnd.microsoft.card.oauth", &card)
}
