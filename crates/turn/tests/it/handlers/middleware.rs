//! Middleware: in order, around the handlers, inside one turn.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use sayso_turn::{
    Bot, BotError, Documents, Error, Failure, Limits, Logic, Middleware, Next, Turn,
    activity::Kind, run,
};

use super::{activity, outcome, say, texts};
use crate::world::{Fault, World, message};

const HI: &str = r#""type":"message","text":"hi""#;

/// Says its name before and after the rest.
struct Bracket(&'static str);

impl Middleware for Bracket {
    async fn run(&self, mut turn: Turn, next: Next) -> Result<(), BotError> {
        turn.say(format!("{} in", self.0));
        next.run(&mut turn).await?;
        turn.say(format!("{} out", self.0));
        Ok(())
    }
}

async fn stop(mut turn: Turn, _next: Next) -> Result<(), BotError> {
    turn.say("stopped");
    Ok(())
}

async fn catch(mut turn: Turn, next: Next) -> Result<(), BotError> {
    if let Err(error) = next.run(&mut turn).await {
        turn.say(format!("caught: {error}"));
    }
    Ok(())
}

async fn fail(mut turn: Turn) -> Result<(), BotError> {
    turn.say("so far");
    Err("out of cheese".into())
}

#[tokio::test]
async fn it_runs_in_order_and_comes_out_in_reverse() {
    let bot = Bot::new().with(Bracket("a")).on_message(say("handler")).with(Bracket("b"));
    let expected = ["a in", "b in", "handler", "b out", "a out"];
    assert_eq!(texts(&outcome(&bot, HI).await), expected);
}

#[tokio::test]
async fn it_may_end_the_turn_without_the_rest() {
    let bot = Bot::new().with(Bracket("a")).with(stop).with(Bracket("b")).on_message(fail);
    assert_eq!(texts(&outcome(&bot, HI).await), ["a in", "stopped", "a out"]);
}

#[tokio::test]
async fn it_may_catch_an_error_and_what_was_said_counts() {
    let bot = Bot::new().with(catch).with(Bracket("b")).on_message(fail);
    let expected = ["b in", "so far", "caught: out of cheese"];
    assert_eq!(texts(&outcome(&bot, HI).await), expected);
    let uncaught = Bot::new().with(Bracket("b")).on_message(fail);
    let error = run(&uncaught, activity(HI), Documents::new()).await.unwrap_err();
    assert!(matches!(error, Error::Failed(_)), "{error}");
}

#[tokio::test]
async fn it_sees_what_no_handler_is_for() {
    let bot = Bot::new().with(Bracket("a")).on_message(say("handler"));
    assert!(
        bot.handles(&activity(r#""type":"typing""#)),
        "the engine asks before it runs anything"
    );
    assert_eq!(texts(&outcome(&bot, r#""type":"typing""#).await), ["a in", "a out"]);
    let bot = bot.on_any(say("any"));
    assert_eq!(texts(&outcome(&bot, r#""type":"typing""#).await), ["a in", "any", "a out"]);
}

#[tokio::test]
async fn it_may_change_what_the_handlers_see_and_not_where_replies_go() {
    let bot = Bot::new()
        .with(async |mut turn: Turn, next: Next| {
            let activity = turn.activity_mut();
            activity.text = Some("ciao".to_owned());
            activity.kind = Kind::Message;
            activity.from = None;
            next.run(&mut turn).await
        })
        .on_message(async |mut turn: Turn| {
            let text = turn.text().to_owned();
            turn.say(text);
            Ok(())
        });
    let outcome = outcome(&bot, r#""type":"own","text":"hello""#).await;
    assert_eq!(texts(&outcome), ["ciao"]);
    assert_eq!(outcome.replies[0].recipient.as_ref().unwrap().id.as_deref(), Some("u"));
}

#[tokio::test]
async fn a_handler_that_keeps_the_turn_fails_it_whatever_is_made_of_the_error() {
    let keep = async |turn: Turn| {
        drop(tokio::spawn(async move {
            std::future::pending::<()>().await;
            drop(turn);
        }));
        Ok(())
    };
    let careless = async |mut turn: Turn, next: Next| {
        let result = next.run(&mut turn).await;
        turn.say("all is well");
        *turn.state().named::<u32>("count")? += 1;
        assert!(result.is_err(), "the turn is gone");
        Ok(())
    };
    for bot in [Bot::new().with(Bracket("a")), Bot::new().with(careless)] {
        let bot = bot.on_message(keep);
        let error = run(&bot, activity(HI), Documents::new()).await.unwrap_err();
        let Error::Failed(failure) = error else { panic!("{error}") };
        let text = format!("{failure} {:?}", std::error::Error::source(&*failure));
        assert!(text.contains("kept the turn") || text.contains("Kept"), "{text}");
    }
}

#[tokio::test]
async fn a_panic_goes_through_and_the_error_handler_speaks() {
    let bot = Bot::new()
        .with(catch)
        .with(Bracket("a"))
        .on_message(async |_turn: Turn| panic!("the bot panics"))
        .on_error(async |mut turn: Turn, failure: Arc<Failure>| {
            turn.say(format!("sorry: {failure}"));
            Ok(())
        });
    let world = World::new();
    let instance = world.start(bot);
    instance.say("1", "hi").await.unwrap();
    world.until_delivered().await;
    assert_eq!(world.channel.texts(), ["sorry: the bot's logic panicked"]);
}

#[tokio::test(start_paused = true)]
async fn a_rest_that_is_given_up_gives_the_turn_back() {
    let bot = Bot::new()
        .with(async |mut turn: Turn, next: Next| {
            let rest = next.run(&mut turn);
            if tokio::time::timeout(Duration::from_millis(5), rest).await.is_err() {
                turn.say("too slow");
            }
            Ok(())
        })
        .on_message(async |mut turn: Turn| {
            turn.say("thinking");
            *turn.state().named::<u32>("count")? += 1;
            std::future::pending().await
        });
    let outcome = outcome(&bot, HI).await;
    assert_eq!(texts(&outcome), ["thinking", "too slow"]);
    let bag = outcome.documents.values().next().unwrap();
    assert_eq!(bag.get::<u32>("count").unwrap(), Some(1));
}

#[tokio::test(start_paused = true)]
async fn a_turn_in_time_out_of_the_engine_leaves_no_trace() {
    let mut world = World::new();
    world.limits = Limits { deadline: Duration::from_secs(1), ..Limits::default() };
    let bot = Bot::new().with(Bracket("a")).on_message(async |turn: Turn| match turn.text() {
        "hang" => std::future::pending().await,
        _ => say("handler")(turn).await,
    });
    let instance = world.start(bot);
    let error = instance.say("1", "hang").await.unwrap_err();
    assert!(matches!(&error, Error::Failed(failure) if matches!(**failure, Failure::Timeout(_))));
    instance.say("2", "hi").await.unwrap();
    world.until_delivered().await;
    assert_eq!(world.channel.texts(), ["a in", "handler", "a out"]);
}

#[tokio::test(start_paused = true)]
async fn it_runs_again_with_every_attempt_and_one_counts() {
    let world = World::new();
    let runs = Arc::new(AtomicU32::new(0));
    let counter = Arc::clone(&runs);
    let bot = Bot::new()
        .with(move |mut turn: Turn, next: Next| {
            let run = counter.fetch_add(1, Ordering::Relaxed) + 1;
            async move {
                turn.say(format!("run {run}"));
                *turn.state().named::<u32>("count")? += 1;
                next.run(&mut turn).await
            }
        })
        .on_message(say("handler"));
    world.store.fail_saves([Fault::Conflict, Fault::LostRequest]);
    let instance = world.start(bot);
    instance.engine.receive(message("1", "hi")).await.unwrap();
    instance.engine.receive(message("1", "hi")).await.unwrap();
    world.until_delivered().await;
    assert_eq!(runs.load(Ordering::Relaxed), 3);
    assert_eq!(world.channel.texts(), ["run 3", "handler"]);
    let bag = world.document().await.unwrap().bag;
    assert_eq!(bag.get::<u32>("count").unwrap(), Some(1));
}
