//! Hooks on sending: they see, change and drop replies, inside the attempt.

use std::sync::{Arc, Mutex};

use sayso_turn::{
    Bot, Failure, Limits, Next, Turn,
    activity::{Activity, Kind},
};

use super::{outcome, say, texts};
use crate::world::{Fault, World};

const HI: &str = r#""type":"message","text":"hi""#;

/// Adds a mark to the text of every message.
fn mark(mark: &'static str) -> impl Fn(&Turn, Activity) -> Option<Activity> {
    move |_, reply| {
        let text = format!("{}{mark}", reply.text());
        Some(reply.with_text(text))
    }
}

#[tokio::test]
async fn a_hook_sees_the_addressed_reply_and_changes_it_in_order() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    let bot = Bot::new()
        .on_send(mark("1"))
        .on_send(move |turn, reply| {
            let to = reply.recipient.as_ref().and_then(|who| who.id.clone());
            log.lock().unwrap().push((turn.text().to_owned(), reply.text().to_owned(), to));
            Some(reply)
        })
        .on_message(async |mut turn: Turn| {
            turn.say("a");
            turn.on_send(mark("3"));
            turn.say("b");
            Ok(())
        })
        .on_send(mark("2"));
    assert_eq!(texts(&outcome(&bot, HI).await), ["a12", "b123"]);
    let to = Some("u".to_owned());
    let expected = [("hi".into(), "a1".into(), to.clone()), ("hi".into(), "b1".into(), to)];
    assert_eq!(*seen.lock().unwrap(), expected);
}

#[tokio::test]
async fn a_hook_drops_a_reply_and_later_hooks_do_not_see_it() {
    let bot = Bot::new()
        .on_send(|turn, reply| match reply.kind {
            Kind::Typing => None,
            _ if reply.text() == "secret" => None,
            _ => Some(reply.with_text(format!("{} replies so far", turn.replies().len()))),
        })
        .on_send(|_, reply| {
            assert!(reply.is_message() && reply.text() != "secret");
            Some(reply)
        })
        .on_message(async |mut turn: Turn| {
            turn.send(Activity::typing());
            turn.say("one");
            turn.say("secret");
            turn.say("two");
            Ok(())
        });
    assert_eq!(texts(&outcome(&bot, HI).await), ["0 replies so far", "1 replies so far"]);
}

#[tokio::test]
async fn a_hook_of_middleware_sees_what_the_handlers_send() {
    let bot = Bot::new()
        .with(async |mut turn: Turn, next: Next| {
            turn.say("not marked");
            turn.on_send(mark("!"));
            next.run(&mut turn).await
        })
        .on_message(say("marked"));
    assert_eq!(texts(&outcome(&bot, HI).await), ["not marked", "marked!"]);
}

#[tokio::test]
async fn the_answer_to_an_invoke_is_not_a_reply() {
    let bot = Bot::new().on_send(|_, _| None).on_invoke("own", async |mut turn: Turn| {
        turn.say("dropped");
        turn.send(Activity::invoke_response(204, None));
        Ok(())
    });
    let outcome = outcome(&bot, r#""type":"invoke","name":"own""#).await;
    assert!(outcome.replies.is_empty());
    assert_eq!(outcome.response.unwrap().status, 204);
}

#[tokio::test(start_paused = true)]
async fn dropped_replies_do_not_count_and_the_words_of_the_error_handler_pass_too() {
    let mut world = World::new();
    world.limits = Limits { replies_max: 2, ..Limits::default() };
    let bot = Bot::new()
        .on_send(|_, reply| (!reply.text().starts_with("noise")).then_some(reply))
        .on_send(mark("."))
        .on_message(async |mut turn: Turn| {
            (0..100).for_each(|n| drop(turn.say(format!("noise {n}"))));
            turn.say("one");
            turn.say("two");
            if turn.text() == "three" {
                turn.say("three");
            }
            Ok(())
        })
        .on_error(async |mut turn: Turn, failure: Arc<Failure>| {
            turn.say(format!("sorry: {failure}"));
            Ok(())
        });
    let instance = world.start(bot);
    world.store.fail_saves([Fault::Conflict]);
    instance.say("1", "two").await.unwrap();
    instance.say("2", "three").await.unwrap();
    world.until_delivered().await;
    let sorry = "sorry: the turn made 3 replies, at most 2 (limit replies_max).";
    assert_eq!(world.channel.texts(), ["one.", "two.", sorry]);
}
