//! Delivery policies, operations on dead letters, paused channels.

mod operators;
mod pauses;
mod policies;
mod retried_timers;

use std::sync::Arc;

use sayso_turn::{Bot, BotError, DeliveryPolicy, Key, Turn, channel::Delivery, document::Parked};

use super::{millis, secs};
use crate::world::{CONVERSATION, Instance, Step, World};

fn key() -> Key {
    Key::new(CONVERSATION).unwrap()
}

fn later(seconds: Option<u64>) -> Step {
    Step::Answer(Delivery::Later { after: seconds.map(secs), reason: "down".into() })
}

fn refused() -> Step {
    Step::Answer(Delivery::Refused { reason: "no such conversation".into() })
}

async fn parked(instance: &Instance) -> Vec<Arc<Parked>> {
    instance.engine.parked(&key()).await.unwrap()
}

/// Says every word of the message on its own; a word's ending chooses its policy.
fn words(policy: DeliveryPolicy) -> Bot {
    let say = async |mut turn: Turn| {
        let text = turn.text().to_owned();
        for word in text.split(' ') {
            let message = turn.say(word);
            match word.split_once('-').map(|(_, ending)| ending) {
                Some("once") => turn.set_delivery(&message, DeliveryPolicy::once()),
                Some("repeat") => turn.set_delivery(&message, DeliveryPolicy::repeat()),
                Some("minute") => {
                    turn.set_delivery(&message, DeliveryPolicy::repeat().expires(secs(60)));
                }
                Some("unsaid") => turn.delete(&message),
                _ => {}
            }
        }
        Ok::<_, BotError>(())
    };
    Bot::new().delivery(policy).on_message(say)
}

/// Number of times that a text has arrived.
fn times(world: &World, text: &str) -> usize {
    world.channel.texts().iter().filter(|arrived| *arrived == text).count()
}
