//! Connector beyond a single new message: updates and deletions, signs, rate limits, and every
//! fault of a channel through the engine.

mod changes;
mod fake_channel;
mod faults;
mod outbox;
mod rate_limit;
mod signs;

use sayso_turn::{
    Key,
    activity::Activity,
    channel::{Delivery, Parcel},
};
use serde_json::{Value, json};

/// An activity, parsed.
fn activity(value: &Value) -> Activity {
    Activity::from_json(value.to_string().as_bytes()).unwrap()
}

/// A reply, as the courier passes it to the channel.
fn parcel(value: &Value) -> Parcel {
    Parcel {
        id: serde_json::from_value(json!("turn.0")).unwrap(),
        key: Key::new("k").unwrap(),
        activity: activity(value).into(),
        is_repeat: false,
    }
}

fn delivered(id: Option<&str>) -> Delivery {
    Delivery::Delivered { id: id.map(str::to_owned) }
}
