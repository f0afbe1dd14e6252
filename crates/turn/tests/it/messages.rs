//! Messages that change after they were sent: in the turn that said them, and in later ones.

use sayso_turn::{
    Bot, BotError, MessageId, Turn,
    activity::{Activity, Kind},
    channel::Delivery,
};

use crate::{
    handlers::outcome,
    world::{Step, World},
};

const HI: &str = r#""type":"message","text":"hi""#;

/// `new X` says X and keeps its name; `keep X` is for a number of messages; `old` changes the kept
/// one.
fn board() -> Bot {
    Bot::new().on_message(async |mut turn: Turn| -> Result<(), BotError> {
        let text = turn.text().to_owned();
        let (verb, rest) = text.split_once(' ').unwrap_or((text.as_str(), ""));
        let kept = turn.state().named::<Option<MessageId>>("message")?.clone();
        match (verb, kept) {
            ("new", _) => {
                let message = turn.say(rest);
                *turn.state().named("message")? = Some(message);
            }
            ("forgotten", _) => drop(turn.say(rest)),
            ("update", Some(message)) => turn.update(&message, Activity::message(rest)),
            ("delete", Some(message)) => turn.delete(&message),
            ("pressed", _) => turn.update(&MessageId::of_channel(rest), Activity::message("done")),
            _ => {}
        }
        Ok(())
    })
}

fn named(id: &str) -> Step {
    Step::TakeAnd(Delivery::Delivered { id: Some(id.to_owned()) })
}

#[tokio::test]
async fn a_message_of_this_turn_is_said_differently_or_not_at_all() {
    let bot = Bot::new().on_message(async |mut turn: Turn| {
        let first = turn.say("one");
        let second = turn.say("two");
        let third = turn.say("three");
        turn.delete(&second);
        turn.update(&first, Activity::message("uno"));
        turn.update(&second, Activity::message("due"));
        turn.delete(&second);
        turn.update(&third, Activity::message("tre"));
        turn.say("four");
        Ok(())
    });
    let outcome = outcome(&bot, HI).await;
    let said: Vec<_> = outcome.replies.iter().map(Activity::text).collect();
    assert_eq!(said, ["uno", "tre", "four"]);
    assert!(outcome.replies.iter().all(|reply| reply.kind == Kind::Message));
    assert!(outcome.replies.iter().all(|reply| reply.reply_to_id.is_some()), "addressed");
}

#[tokio::test]
async fn hooks_see_changes_and_can_stop_them() {
    let bot = board()
        .on_update(|_, _, activity| {
            let text = format!("{}!", activity.text());
            (text != "no!").then(|| activity.with_text(text))
        })
        .on_delete(|turn, _| turn.text() != "delete not")
        .on_send(|_, activity| (activity.text() != "silent").then_some(activity));
    let world = World::new();
    let instance = world.start(bot);
    world.channel.script([named("c1")]);
    for text in
        ["new a", "update b", "update no", "delete not", "delete", "new silent", "delete it"]
    {
        instance.say(text, text).await.unwrap();
    }
    world.until_delivered().await;
    let expected = [
        ("message", None, "a"),
        ("messageUpdate", Some("c1"), "b!"),
        ("messageDelete", Some("c1"), ""),
    ];
    assert_eq!(world.channel.changes(), expected.map(owned));
}

#[tokio::test(start_paused = true)]
async fn a_later_turn_changes_a_message_under_the_channels_own_name() {
    let world = World::new();
    let instance = world.start(board());
    world.channel.script([named("c1")]);
    for text in ["new a", "update b", "update c", "delete"] {
        instance.say(text, text).await.unwrap();
        world.until_delivered().await;
    }
    let expected = [
        ("message", None, "a"),
        ("messageUpdate", Some("c1"), "b"),
        ("messageUpdate", Some("c1"), "c"),
        ("messageDelete", Some("c1"), ""),
    ];
    assert_eq!(world.channel.changes(), expected.map(owned));
    let ledger = world.ledger().await;
    assert_eq!(ledger.sent.len(), 1, "only what was named somewhere is remembered");
}

#[tokio::test(start_paused = true)]
async fn a_change_that_is_decided_before_the_message_left_follows_it() {
    let world = World::new();
    let instance = world.start(board());
    // The channel hangs on the first try, so that everything waits in one outbox.
    world.channel.script([Step::Hang, named("c9")]);
    for text in ["new a", "update b"] {
        instance.say(text, text).await.unwrap();
    }
    world.until_delivered().await;
    let expected = [("message", None, "a"), ("messageUpdate", Some("c9"), "b")];
    assert_eq!(world.channel.changes(), expected.map(owned));
}

#[tokio::test(start_paused = true)]
async fn a_message_that_a_button_belongs_to_is_changed_by_the_channels_id() {
    let world = World::new();
    let instance = world.start(board());
    instance.say("1", "pressed c77").await.unwrap();
    world.until_delivered().await;
    assert_eq!(world.channel.changes(), [owned(("messageUpdate", Some("c77"), "done"))]);
}

#[tokio::test(start_paused = true)]
async fn a_change_of_what_the_channel_gave_no_name_is_parked_and_the_rest_goes_on() {
    let world = World::new();
    let instance = world.start(board());
    for text in ["new a", "update b", "forgotten c"] {
        instance.say(text, text).await.unwrap();
        world.until_delivered().await;
    }
    assert_eq!(
        world.channel.changes(),
        [("message", None, "a"), ("message", None, "c")].map(owned)
    );
    let parked = world.ledger().await.parked;
    assert_eq!(parked.len(), 1);
    assert!(parked[0].reason.contains("sent_max"), "{}", parked[0].reason);
}

#[tokio::test(start_paused = true)]
async fn the_oldest_names_are_forgotten_beyond_the_limit() {
    let mut world = World::new();
    world.limits.sent_max = 2;
    let instance = world.start(board());
    for n in 1..=3 {
        world.channel.script([named(&format!("c{n}"))]);
        instance.say(&n.to_string(), &format!("new {n}")).await.unwrap();
        world.until_delivered().await;
    }
    let sent = world.ledger().await.sent;
    let names: Vec<_> = sent.iter().map(|(_, name)| name.as_str()).collect();
    assert_eq!(names, ["c2", "c3"]);
}

fn owned((kind, id, text): (&str, Option<&str>, &str)) -> (String, Option<String>, String) {
    (kind.to_owned(), id.map(str::to_owned), text.to_owned())
}
