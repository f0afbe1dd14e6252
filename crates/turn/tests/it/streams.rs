//! Signs that cannot wait, and replies that are shown while they are being made.

use std::time::Duration;

use sayso_turn::{
    Bot, Documents, Outcome, Turn,
    activity::{Activity, Kind},
    run,
};
use serde_json::Value;

use crate::world::{Fault, World, asking, message};

async fn told(bot: &Bot, channel: &str, kind: &str) -> Outcome {
    let mut activity = message("1", "hi");
    activity.channel_id = Some(channel.to_owned());
    activity.conversation.as_mut().unwrap().conversation_type = Some(kind.to_owned());
    run(bot, activity, Documents::new()).await.unwrap()
}

/// The stream's members of an activity: from the entity, the same as in the channel data.
fn info(activity: &Activity) -> Option<(String, Option<u64>, Option<String>)> {
    let json: Value = serde_json::from_slice(&activity.to_json()).unwrap();
    let entity = json["entities"].as_array()?.iter().find(|one| one["type"] == "streaminfo")?;
    let data = &json["channelData"];
    for member in ["streamType", "streamSequence", "streamId"] {
        assert_eq!(entity[member], data[member], "{member}");
    }
    let text = |name: &str| entity[name].as_str().map(str::to_owned);
    Some((text("streamType")?, entity["streamSequence"].as_u64(), text("streamId")))
}

fn teller() -> Bot {
    Bot::new().on_message(async |mut turn: Turn| {
        let stream = turn.stream();
        stream.inform("Looking…");
        for word in ["one", " two", " three"] {
            stream.push(word);
        }
        assert_eq!(stream.text(), "one two three");
        turn.finish(stream).await;
        Ok(())
    })
}

#[tokio::test]
async fn a_channel_that_shows_messages_in_the_making_is_told_in_its_own_words() {
    for (channel, kind) in [("msteams", "personal"), ("webchat", ""), ("directline", "")] {
        let Outcome { shown, replies, .. } = told(&teller(), channel, kind).await;
        let texts: Vec<_> = shown.iter().map(Activity::text).collect();
        assert_eq!(texts, ["Looking…", "one", "one two", "one two three"]);
        assert!(shown.iter().all(|sign| sign.kind == Kind::Typing && sign.reply_to_id.is_some()));
        let expected = [("informative", 1), ("streaming", 2), ("streaming", 3), ("streaming", 4)];
        for (sign, (kind, sequence)) in shown.iter().zip(expected) {
            let id = (sequence > 1).then(|| "shown-1".to_owned());
            assert_eq!(info(sign), Some((kind.to_owned(), Some(sequence), id)));
        }
        assert_eq!(replies.len(), 1);
        assert_eq!((replies[0].text(), &replies[0].kind), ("one two three", &Kind::Message));
        let last = ("final".to_owned(), None, Some("shown-1".to_owned()));
        assert_eq!(info(&replies[0]), Some(last));
    }
}

#[tokio::test]
async fn other_channels_see_that_it_types_and_get_a_plain_message() {
    for (channel, kind) in [("msteams", "groupChat"), ("slack", ""), ("emulator", "personal")] {
        let Outcome { shown, replies, .. } = told(&teller(), channel, kind).await;
        assert_eq!(shown.len(), 1);
        assert_eq!((&shown[0].kind, shown[0].text()), (&Kind::Typing, ""));
        assert_eq!((info(&shown[0]), info(&replies[0])), (None, None));
        assert_eq!(replies[0].text(), "one two three");
    }
}

#[tokio::test(start_paused = true)]
async fn signs_are_shown_at_once_and_never_stored() {
    let world = World::new();
    let bot = Bot::new().on_message(async |mut turn: Turn| {
        turn.show(Activity::typing());
        tokio::time::sleep(Duration::from_secs(2)).await;
        turn.say("done");
        Ok(())
    });
    let instance = world.start(bot);
    let engine = instance.engine.clone();
    let turn = tokio::spawn(async move { engine.receive(message("1", "hi")).await });
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(world.channel.shown.lock().unwrap().len(), 1);
    assert!(world.document().await.is_none(), "the turn is not saved yet");
    turn.await.unwrap().unwrap();
    world.until_delivered().await;
    assert_eq!(world.channel.texts(), ["done"]);
    // Whoever wants all replies in the answer gets nothing beside it.
    let answer = instance.engine.receive(asking("2", "hi")).await.unwrap();
    assert_eq!(answer.replies.len(), 1);
    assert_eq!(world.channel.shown.lock().unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_stream_keeps_the_pace_of_its_channel_and_only_its_end_is_committed() {
    let world = World::new();
    let bot = Bot::new().on_message(async |mut turn: Turn| {
        let stream = turn.stream();
        for n in 0..30 {
            stream.push(&format!("{n} "));
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        turn.finish(stream).await;
        Ok(())
    });
    let instance = world.start(bot);
    // The first commit is lost: a second attempt goes on with the same bubble.
    world.store.fail_saves([Fault::LostRequest]);
    let mut activity = message("1", "hi");
    activity.channel_id = Some("webchat".to_owned());
    instance.engine.receive(activity).await.unwrap();
    let shown = world.channel.shown.lock().unwrap().clone();
    assert!((11..=14).contains(&shown.len()), "two for a second, twice 3 s: {}", shown.len());
    let gaps = shown.windows(2).map(|pair| pair[1].0 - pair[0].0);
    assert!(gaps.clone().all(|gap| gap >= Duration::from_millis(500)), "{shown:?}");
    tokio::time::sleep(Duration::from_secs(5)).await;
    let texts = world.channel.texts();
    assert_eq!(texts.len(), 1);
    assert!(texts[0].ends_with("28 29 "), "{texts:?}");
}
