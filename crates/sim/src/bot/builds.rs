//! Two builds of the bot, which keep one property in different versions.

use sayso_turn::{BotError, Turn};

/// The build before.
mod old {
    #[derive(Default, sayso_turn::BotState)]
    #[state(version = 1, ttl = "1h")]
    pub(super) struct Order {
        pub(super) items: String,
    }
}

/// The build after.
mod new {
    use sayso_turn::{BotError, BotState};
    use serde_json::{Value, json};

    #[derive(Default, BotState)]
    #[state(version = 2, upcast(1 = from_v1), ttl = "1h")]
    pub(super) struct Order {
        pub(super) all: Vec<String>,
    }

    fn from_v1(mut order: Value) -> Result<Value, BotError> {
        let items = order.get_mut("items").map(Value::take).unwrap_or_default();
        let items = items.as_str().unwrap_or_default();
        Ok(json!({ "all": items.split_whitespace().collect::<Vec<_>>() }))
    }
}

/// Appends to the order, as this build keeps it. The old one refuses what the new one wrote.
pub(super) fn append(turn: &mut Turn, is_new: bool, id: &str) -> Result<(), BotError> {
    if is_new {
        turn.conversation::<new::Order>()?.all.push(id.to_owned());
    } else {
        let items = &mut turn.conversation::<old::Order>()?.items;
        items.push_str(id);
        items.push(' ');
    }
    Ok(())
}

/// Contents of an order, whichever build wrote it.
pub(crate) fn items(bag: &sayso_turn::Bag) -> Vec<String> {
    bag.get::<new::Order>("Order").ok().flatten().unwrap_or_default().all
}
