//! Deployments that change the code of a conversation under way.

use sayso_dialog::{
    Changed,
    conversation::{Conversation, Result, conversation, number, text},
};
use sayso_turn::{Bot, BotError};

use super::{Chat, asking, asks};

const OLD: &[&str] = &["a?", "b?", "c?"];

/// A conversation with two answers, waiting for the third, under other code.
fn deployed(questions: &'static [&'static str], changed: Changed) -> Chat {
    let mut chat = Chat::new(move || asking(OLD).bot());
    chat.says("hi");
    chat.says("1");
    assert_eq!(chat.says("2"), ["Noted: 2", "c?"]);
    chat.deploy(move || asking(questions).on_change(changed.clone()).bot());
    chat
}

#[test]
fn a_step_that_is_added_behind_the_current_one_is_no_difference() {
    for changed in [Changed::Fail, Changed::Restart(None), Changed::Continue] {
        let mut chat = deployed(&["a?", "b?", "c?", "d?"], changed);
        assert_eq!(chat.says("3"), ["Noted: 3", "d?"]);
        assert_eq!(chat.says("4"), ["Noted: 4", "All: 1 2 3 4"]);
    }
}

#[test]
fn under_fail_the_first_difference_is_named_and_nothing_changes() {
    for (questions, position, recorded, now) in [
        (&["x?", "a?", "b?", "c?"] as &[&str], 0, "ask text#", "ask text#"),
        (&["a?", "x?", "b?", "c?"], 1, "ask text#", "ask text#"),
        (&["a?", "b?", "x?", "c?"], 2, "ask text#", "ask text#"),
        (&["a?", "c?"], 1, "ask text#", "ask text#"),
        (&["a?"], 1, "ask text#", "the end"),
        (&["a?", "b?"], 2, "ask text#", "the end"),
    ] {
        let mut chat = deployed(questions, Changed::Fail);
        let before = chat.documents.clone();
        let error = chat.fails("my secret");
        let place = format!("at step {position} the journal has `{recorded}");
        assert!(error.contains("conversation `test`") && error.contains(&place), "{error}");
        assert!(error.contains(&format!("the code now does `{now}")), "{error}");
        assert!(error.contains("policy fail") && error.contains("`on_change`"), "{error}");
        assert!(!error.contains("secret") && !error.contains("a?"), "{error}");
        assert_eq!(chat.documents, before);
        // The older code comes back, and the conversation goes on.
        chat.deploy(|| asking(OLD).on_change(Changed::Fail).bot());
        assert_eq!(chat.says("3"), ["Noted: 3", "All: 1 2 3"]);
    }
}

#[test]
fn under_restart_it_begins_again_after_a_notice() {
    let restart = Changed::Restart(Some("I have changed.".to_owned()));
    let mut chat = deployed(&["x?", "a?"], restart.clone());
    assert_eq!(chat.says("3"), ["I have changed.", "x?"]);
    assert_eq!(chat.says("4"), ["Noted: 4", "a?"]);
    assert_eq!(chat.says("5"), ["Noted: 5", "All: 4 5"]);
    let mut quiet = deployed(&["x?"], Changed::Restart(None));
    assert_eq!(quiet.says("3"), ["x?"]);
    let mut ended = deployed(&["a?"], restart);
    assert_eq!(ended.says("3"), ["I have changed.", "a?"]);
}

#[test]
fn under_continue_answers_are_found_by_their_questions() {
    // Asked now, before answers that are there already.
    let mut chat = deployed(&["x?", "a?", "b?", "c?"], Changed::Continue);
    assert_eq!(chat.says("3"), ["x?"]);
    assert_eq!(chat.says("0"), ["Noted: 0", "c?"]);
    assert_eq!(chat.says("3"), ["Noted: 3", "All: 0 1 2 3"]);
    assert_eq!(chat.journal(), None);
    // Removed, and forgotten.
    let mut chat = deployed(&["b?", "c?"], Changed::Continue);
    assert_eq!(chat.says("3"), ["Noted: 3", "All: 2 3"]);
    // Moved.
    let mut chat = deployed(&["b?", "c?", "d?", "a?"], Changed::Continue);
    assert_eq!(chat.says("3"), ["Noted: 3", "d?"]);
    assert_eq!(chat.says("4"), ["Noted: 4", "Noted: 1", "All: 2 3 4 1"]);
    // The one that waits is gone, and so is everything after it. What led there is said again.
    let mut chat = deployed(&["a?"], Changed::Continue);
    assert_eq!(chat.says("3"), ["Noted: 1", "All: 1"]);
    assert_eq!(chat.journal(), None);
    // The one that waits is asked later, again.
    let mut chat = deployed(&["a?", "x?", "c?"], Changed::Continue);
    assert_eq!(chat.says("3"), ["Noted: 1", "x?"]);
    assert_eq!(chat.says("y"), ["Noted: y", "c?"]);
    assert_eq!(chat.says("3"), ["Noted: 3", "All: 1 y 3"]);
    // And there is a recorded one behind it.
    let mut chat = deployed(&["a?", "x?", "c?", "b?"], Changed::Continue);
    assert_eq!(chat.says("3"), ["Noted: 1", "x?"]);
    assert_eq!(chat.says("y"), ["Noted: y", "c?"]);
    assert_eq!(chat.says("3"), ["Noted: 3", "Noted: 2", "All: 1 y 3 2"]);
}

#[test]
fn continue_is_the_default_and_answers_survive_a_deployment_and_its_undoing() {
    let mut chat = Chat::new(|| asking(OLD).bot());
    chat.says("hi");
    chat.says("1");
    chat.deploy(|| asking(&["a?", "x?", "b?", "c?"]).bot());
    assert_eq!(chat.says("2"), ["Noted: 1", "x?"]);
    assert_eq!(chat.says("y"), ["Noted: y", "b?"]);
    // An old instance, still there in a rolling deployment, forgets nothing of the new one.
    chat.deploy(|| asking(OLD).bot());
    assert_eq!(chat.says("2"), ["Noted: 2", "c?"]);
    chat.deploy(|| asking(&["a?", "x?", "b?", "c?"]).bot());
    assert_eq!(chat.says("3"), ["Noted: 3", "All: 1 y 2 3"]);
}

#[test]
fn a_name_keeps_an_answer_when_the_words_change() {
    fn bot(words: &'static str) -> Bot {
        conversation("test", move |c: Conversation| async move {
            let size = c.ask(text(words).named("size")).await?;
            c.ask(text("b?")).await?;
            c.say(size);
            Ok(())
        })
        .on_change(Changed::Fail)
        .bot()
    }
    let mut chat = Chat::new(|| bot("Size?"));
    chat.says("hi");
    chat.says("large");
    chat.deploy(|| bot("What size would you like?"));
    assert_eq!(chat.says("x"), ["large"]);
}

#[test]
fn an_answer_of_another_type_is_a_difference() {
    fn bot(is_new: bool, changed: Changed) -> Bot {
        conversation("test", move |c: Conversation| async move {
            let count = match is_new {
                true => c.ask(number::<u32>("Count?").named("count")).await?.to_string(),
                false => c.ask(text("Count?").named("count")).await?,
            };
            c.ask(text("b?")).await?;
            c.say(count);
            Ok(())
        })
        .on_change(changed)
        .bot()
    }
    let begun = |changed: Changed| {
        let mut chat = Chat::new(|| bot(false, Changed::Fail));
        chat.says("hi");
        chat.says("many");
        chat.deploy(move || bot(true, changed.clone()));
        chat
    };
    let error = begun(Changed::Fail).fails("x");
    assert!(error.contains("`ask count with a result of another type`"), "{error}");
    assert_eq!(begun(Changed::Restart(Some("New.".into()))).says("x"), ["New.", "Count?"]);
    let mut chat = begun(Changed::Continue);
    assert_eq!(chat.says("x"), ["Count?"]);
    assert_eq!(chat.says("3"), ["b?"]);
    assert_eq!(chat.says("y"), ["3"]);
}

#[test]
fn a_checkpoint_of_another_type_is_a_difference() {
    fn bot(is_new: bool, changed: Changed) -> Bot {
        conversation("test", move |c: Conversation| async move {
            let mut list: Vec<String> = match is_new {
                true => vec![c.kept::<u32>()?.unwrap_or_default().to_string()],
                false => c.kept()?.unwrap_or_default(),
            };
            loop {
                list.push(c.ask(text("More?")).await?);
                c.say(list.join(" "));
                c.keep(&list)?;
            }
        })
        .on_change(changed)
        .on_done(async |_, ()| Ok(()))
        .bot()
    }
    let begun = |changed: Changed| {
        let mut chat = Chat::new(|| bot(false, Changed::Fail));
        chat.says("hi");
        chat.says("a");
        chat.deploy(move || bot(true, changed.clone()));
        chat
    };
    let error = begun(Changed::Fail).fails("x");
    assert!(error.contains("`kept as another type`") && error.contains("kept as u32"), "{error}");
    assert_eq!(begun(Changed::Restart(Some("New.".into()))).says("x"), ["New.", "More?"]);
    assert_eq!(begun(Changed::Continue).says("x"), ["0 x", "More?"]);
}

#[test]
fn calls_that_are_under_way_are_compared_too() {
    fn bot(calls: &'static [(&'static str, &'static [&'static str])], changed: Changed) -> Bot {
        conversation("test", move |c: Conversation| async move {
            for (name, questions) in calls {
                match questions {
                    [] => drop(c.ask(text(*name)).await?),
                    _ => c.call(name, asks(questions)).await?,
                }
            }
            Ok(())
        })
        .on_change(changed)
        .bot()
    }
    let old = || bot(&[("one", &["a?", "b?"]), ("two", &["c?", "d?"])], Changed::Fail);
    let begun = |bot: fn(Changed) -> Bot, changed: Changed| {
        let mut chat = Chat::new(old);
        for text in ["hi", "1", "2", "3"] {
            chat.says(text);
        }
        chat.deploy(move || bot(changed.clone()));
        chat
    };
    let renamed = |changed| bot(&[("one", &["a?", "b?"]), ("deux", &["c?", "d?"])], changed);
    let error = begun(renamed, Changed::Fail).fails("4");
    assert!(error.contains("step 1 ") && error.contains("`call two`"), "{error}");
    assert_eq!(begun(renamed, Changed::Continue).says("4"), ["c?"]);

    let inside = |changed| bot(&[("one", &["a?", "b?"]), ("two", &["c?", "x?", "d?"])], changed);
    let error = begun(inside, Changed::Fail).fails("4");
    assert!(error.contains("step 1.1 "), "{error}");
    let mut chat = begun(inside, Changed::Continue);
    assert_eq!(chat.says("4"), ["Noted: 3", "x?"]);
    assert_eq!(chat.says("5"), ["Noted: 5", "d?"]);

    // The question that waits has moved out of the call.
    let outside = |changed| bot(&[("one", &["a?", "b?"]), ("d?", &[]), ("x?", &[])], changed);
    let error = begun(outside, Changed::Fail).fails("4");
    assert!(error.contains("step 1 ") && error.contains("`call two`"), "{error}");
    let mut chat = begun(outside, Changed::Continue);
    assert_eq!(chat.says("4"), ["d?"]);
    assert_eq!(chat.says("4"), ["x?"]);

    // A question before the call that is under way: the call goes on behind it.
    let before =
        |changed| bot(&[("one", &["a?", "b?"]), ("x?", &[]), ("two", &["c?", "d?"])], changed);
    let mut chat = begun(before, Changed::Continue);
    assert_eq!(chat.says("4"), ["x?"]);
    assert_eq!(chat.says("5"), ["d?"]);
    assert_eq!(chat.says("4"), ["Noted: 4", "All: 3 4"]);
}

#[test]
fn a_call_to_the_outside_is_not_made_again_when_code_before_it_changes() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    fn bot(is_new: bool) -> Bot {
        conversation("test", move |c: Conversation| async move {
            if is_new {
                c.ask(text("Your name?")).await?;
            }
            let count: usize = c
                .once("pay", |_| async { Ok::<_, BotError>(CALLS.fetch_add(1, Ordering::Relaxed)) })
                .await?;
            c.ask(text("Happy?")).await?;
            c.say(format!("Paid after {count} others."));
            Ok(())
        })
        .bot()
    }
    let mut chat = Chat::new(|| bot(false));
    chat.says("hi");
    chat.deploy(|| bot(true));
    assert_eq!(chat.says("yes"), ["Your name?"]);
    assert_eq!(chat.says("Ann"), ["Happy?"]);
    assert_eq!(chat.says("yes"), ["Paid after 0 others."]);
    assert_eq!(CALLS.load(Ordering::Relaxed), 1);
}

#[test]
fn a_conversation_that_the_code_does_not_have_any_more_is_a_difference() {
    let begun = |changed: Changed| {
        let bot = || asking(&["a?"]).interrupt("weather", asks(&["Town?"])).bot();
        let mut chat = Chat::new(bot);
        chat.says("hi");
        chat.says("weather");
        chat.deploy(move || asking(&["a?"]).on_change(changed.clone()).bot());
        chat
    };
    let mut chat = begun(Changed::Fail);
    let before = chat.documents.clone();
    let error = chat.fails("Rome");
    assert!(error.contains("`the conversation on weather`"), "{error}");
    assert_eq!(chat.documents, before);
    assert_eq!(begun(Changed::Restart(Some("New.".into()))).says("Rome"), ["New.", "a?"]);
    assert_eq!(begun(Changed::Continue).says("Rome"), ["a?"]);

    let mut chat = Chat::new(|| asking(&["a?"]).bot());
    chat.says("hi");
    chat.deploy(|| {
        let renamed = conversation("renamed", asks(&["b?"]));
        renamed.on_change(Changed::Restart(Some("New.".into()))).bot()
    });
    assert_eq!(chat.says("1"), ["New.", "b?"]);
}

#[test]
fn nondeterministic_code_is_detected() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    async fn moody(c: Conversation) -> Result<()> {
        let mood = COUNT.fetch_add(1, Ordering::Relaxed);
        c.ask(text(format!("Question {mood}?"))).await?;
        Ok(())
    }
    let mut chat = Chat::new(|| conversation("test", moody).on_change(Changed::Fail).bot());
    chat.says("hi");
    assert!(chat.fails("1").contains("at step 0 the journal has `ask text#"));
}

mod newer {
    use sayso_turn::BotState;

    #[derive(Default, BotState)]
    #[state(version = 1)]
    pub(super) struct Score {
        pub(super) points: u32,
    }

    pub(super) mod later {
        use sayso_turn::{BotState, versioned::as_is};

        #[derive(Default, BotState)]
        #[state(version = 2, upcast(1 = as_is))]
        pub(in super::super) struct Score {
            pub(in super::super) points: u32,
            #[serde(default)]
            pub(in super::super) level: u32,
        }
    }
}

#[tokio::test]
async fn state_kept_by_a_newer_build_is_refused_with_a_retryable_error() {
    async fn old(c: Conversation) -> Result<()> {
        let points = c.kept::<newer::Score>()?.unwrap_or_default().points;
        c.keep(&newer::Score { points: points + 1 })?;
        drop(c.ask(text("Next?")).await?);
        Ok(())
    }
    async fn new(c: Conversation) -> Result<()> {
        let score = c.kept::<newer::later::Score>()?.unwrap_or_default();
        let level = score.level + 1;
        c.keep(&newer::later::Score { points: score.points, level })?;
        drop(c.ask(text("Next?")).await?);
        Ok(())
    }
    let message = |id: &str| {
        let body = format!(
            r#"{{"type":"message","id":"{id}","channelId":"t","conversation":{{"id":"c"}},"text":"x"}}"#
        );
        sayso_activity::Activity::from_json(body.as_bytes()).unwrap()
    };
    let bot = conversation("game", new).bot();
    let kept = sayso_turn::run(&bot, message("1"), Default::default()).await.unwrap().documents;
    let bot = conversation("game", old).bot();
    let error = sayso_turn::run(&bot, message("2"), kept).await.unwrap_err();
    assert!(error.is_retryable(), "{error:?}");
}
