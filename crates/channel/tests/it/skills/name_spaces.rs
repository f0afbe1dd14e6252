//! Name spaces: a caller that names the ids of others reads and changes nothing of theirs.

use serde_json::{Value, json};

use super::world::{Instance, OTHER, PARENT, Peer, World, bot, texts};
use crate::support::{client::Reply, with};

const NOTHING: &str = "[] [] []";

fn expecting(world: &World, id: &str, text: &str) -> Value {
    with(world.message(text), json!({"id": id, "deliveryMode": "expectReplies"}))
}

async fn ask(
    (instance, world): (&Instance, &World),
    from: Option<(&str, &Peer)>,
    activity: Value,
) -> Reply {
    match from {
        None => instance.from_channel(world, activity).await,
        Some((caller, peer)) => instance.from_bot(caller, peer, activity).await,
    }
}

#[tokio::test]
async fn callers_and_channels_with_the_same_ids_read_nothing_of_each_other() {
    let world = World::start().await;
    let instance = world.instance(bot(), world.callers()).await;
    let place = (&instance, &world);
    let all = [None, Some((PARENT, &world.parent)), Some((OTHER, &world.other))];
    for (number, from) in all.into_iter().enumerate() {
        // The ids of activities are theirs, too: none is taken for a redelivery.
        let recalled = ask(place, from, expecting(&world, "1", "recall")).await;
        assert_eq!(texts(&recalled), [NOTHING], "{number}");
        let note = format!("remember {number}");
        assert_eq!(texts(&ask(place, from, expecting(&world, "2", &note)).await), ["noted"]);
    }
    for (number, from) in all.into_iter().enumerate() {
        let recalled = ask(place, from, expecting(&world, "3", "recall")).await;
        assert_eq!(texts(&recalled), [format!("[{number}] [{number}] [{number}]")]);
    }
    // The end of one conversation is not that of another.
    let end = with(world.message(""), json!({"id": "4", "type": "endOfConversation"}));
    assert_eq!(ask(place, all[1], end).await.status, 200);
    for (from, recalled) in [(all[0], "[0] [0] [0]"), (all[1], "[] [1] [1]")] {
        let answer = ask(place, from, expecting(&world, "5", "recall")).await;
        assert_eq!(texts(&answer), [recalled]);
    }
    let keys = world.keys().await;
    assert_eq!(keys.len(), 9, "{keys:?}");
    for caller in [PARENT, OTHER] {
        let own = format!("skill:{caller}:msteams/");
        assert_eq!(keys.iter().filter(|key| key.starts_with(&own)).count(), 3, "{keys:?}");
    }
}

#[tokio::test]
async fn nobody_from_outside_is_in_the_name_space_of_a_caller() {
    let world = World::start().await;
    let instance = world.instance(bot(), world.callers()).await;
    let place = (&instance, &world);
    let parent = Some((PARENT, &world.parent));
    let noted = ask(place, parent, expecting(&world, "1", "remember this")).await;
    assert_eq!(texts(&noted), ["noted"]);
    let inside = format!("skill:{PARENT}:msteams");
    for from in [None, parent, Some((OTHER, &world.other))] {
        let forged = with(expecting(&world, "2", "recall"), json!({"channelId": inside}));
        let answer = ask(place, from, forged).await;
        assert_eq!(answer.status, 400, "{answer:?}");
        assert!(answer.error().1.contains("must not begin with `skill:`"), "{answer:?}");
    }
    // The caller's id is the one of its token, in lower case, however the token has it.
    let shouting = PARENT.to_uppercase();
    let recall = expecting(&world, "3", "recall");
    let answer = instance.from_bot(&shouting, &world.parent, recall).await;
    assert_eq!(texts(&answer), ["[this] [this] [this]"]);
}

#[tokio::test]
async fn what_a_caller_relates_to_is_its_own() {
    use sayso_turn::{Bot, Turn, activity::Reference};

    // A bot that goes on in the conversation that it is told of, as with a proactive message.
    let bot = Bot::new().on_message(async |mut turn: Turn| {
        let related = turn.activity().relates_to.as_ref().unwrap().get::<Reference>()?;
        turn.say(related.channel_id.unwrap_or_default());
        Ok(())
    });
    let world = World::start().await;
    let instance = world.instance(bot, world.callers()).await;
    let teams = json!({"channelId": "msteams", "conversation": {"id": "c1"}});
    let hi = with(expecting(&world, "1", "hi"), json!({"relatesTo": teams}));
    let answer = instance.from_bot(PARENT, &world.parent, hi).await;
    assert_eq!(texts(&answer), [format!("skill:{PARENT}:msteams")]);
}
