//! Mistakes of authors: each is told with what happened and what to do.

use std::sync::Arc;

use sayso_activity::{Activity, Attachment, Raw};
use sayso_dialog::{
    Check, ConfirmPrompt, Dialogs, NumberPrompt, Step, StepResult, WaterfallDialog,
    choice::ListStyle,
    conversation::{
        Conversation, Result, choice, confirm, conversation, conversations, number, text,
    },
};
use sayso_turn::{Bot, BotError, Failure, Logic, Turn, script::chat};

/// Compares the compiler's words with files beside the mistakes. `TRYBUILD=overwrite` writes them.
#[test]
fn the_compiler_says_what_is_wrong_and_what_to_write() {
    trybuild::TestCases::new().compile_fail("tests/mistakes/*.rs");
}

/// Says what went wrong, with its causes.
async fn sorry(mut turn: Turn, failure: Arc<Failure>) -> Result<(), BotError> {
    turn.say(format!("{failure:?}"));
    Ok(())
}

async fn greet(c: Conversation) -> Result<()> {
    let name = c.ask(text("What is your name?")).await?;
    c.say(format!("Hello, {name}."));
    Ok(())
}

async fn count(c: Conversation) -> Result<()> {
    let guests: u8 = c.ask(number("How many guests?")).await?;
    c.say(format!("A table for {guests}."));
    Ok(())
}

async fn ask_age(step: Step<'_>) -> StepResult {
    step.prompt("age", "How old are you?").await
}

async fn tell_age(mut step: Step<'_>) -> StepResult {
    let age: u8 = step.result()?;
    step.say(format!("{age} years."));
    step.end(age).await
}

fn age_dialogs(age: NumberPrompt<u8>) -> Dialogs {
    let root = sayso_dialog::ComponentDialog::new("root")
        .with(WaterfallDialog::new("ask").step(ask_age).step(tell_age))
        .with(age);
    Dialogs::new(root)
}

#[tokio::test]
async fn a_validator_that_accepts_nothing_is_told_so_at_once() {
    let age = NumberPrompt::new("age").validate(|_: &mut Check<'_, u8>| true);
    chat(age_dialogs(age).bot().on_error(sorry))
        .user("hi")
        .expects("How old are you?")
        .user("old enough")
        .expects_containing(
            "the validator of the prompt `age` accepted an answer that was not recognized, so \
             there is no value to go on with; return `false` when `check.value` is `None`",
        )
        .user("33")
        .expects("33 years.")
        .await;
}

#[tokio::test]
async fn a_validator_may_give_a_value_where_none_was_recognized() {
    let age = NumberPrompt::new("age").validate(|check: &mut Check<'_, u8>| {
        check.value.get_or_insert(99);
        true
    });
    chat(age_dialogs(age).bot())
        .user("hi")
        .expects("How old are you?")
        .user("old enough")
        .expects("99 years.")
        .await;
}

#[tokio::test]
async fn a_conversation_that_is_begun_by_an_event_is_told_how() {
    let greeting = conversation("greet", greet).handler();
    let bot = Bot::new()
        .on_message(greeting.clone())
        .on_event("start", greeting.clone())
        .on_joined(greeting.clone())
        .on_typing(greeting)
        .on_error(sorry);
    chat(bot)
        .activity(Activity::event("start"))
        .expects_containing("the conversation `greet` was handed the event `start`")
        .activity(Activity::event("start"))
        .expects_containing("let this begin it with `begin_on([\"start\"])`")
        .joins()
        .expects_containing("`begin_on_join()`")
        .activity(Activity::typing())
        .expects_nothing()
        .user("hi")
        .expects("What is your name?")
        .activity(Activity::event("start"))
        .expects_nothing()
        .joins()
        .expects_nothing()
        .user("Ada")
        .expects("Hello, Ada.")
        .await;
}

#[tokio::test]
async fn a_conversation_begins_on_join_and_by_events_if_its_author_says_so() {
    let bot = conversation("greet", greet).begin_on_join().begin_on("start").bot();
    chat(bot)
        .joins()
        .expects("What is your name?")
        .user("Ada")
        .expects("Hello, Ada.")
        .activity(Activity::event("start"))
        .expects("What is your name?")
        .joins() // somebody else
        .expects_nothing()
        .user("Bob")
        .expects("Hello, Bob.")
        .await;
}

#[tokio::test]
async fn dialogs_begin_on_join_and_by_events_or_say_how() {
    let dialogs = || age_dialogs(NumberPrompt::new("age"));
    chat(dialogs().begin_on_join().begin_on(["start"]).bot())
        .joins()
        .expects("How old are you?")
        .user("33")
        .expects("33 years.")
        .activity(Activity::event("start"))
        .expects("How old are you?")
        .await;
    let shared = Arc::new(dialogs());
    let bot = Bot::new().on_joined(move |turn| {
        let dialogs = Arc::clone(&shared);
        async move { dialogs.handle(turn).await }
    });
    chat(bot.on_error(sorry))
        .joins()
        .expects_containing("the dialogs of `root` was handed somebody who joined")
        .await;
}

#[tokio::test]
async fn two_conversations_over_one_journal_are_told_apart_before_one_is_lost() {
    let (greet, count) = (conversation("greet", greet), conversation("count", count));
    let (greeting, counting) = (greet.handler(), count.handler());
    let bot = Bot::new().on_message(move |turn: Turn| match turn.text() {
        "count" => counting(turn),
        _ => greeting(turn),
    });
    chat(bot.on_error(sorry))
        .user("hi")
        .expects("What is your name?")
        .user("count")
        .expects_activity(|reply: &Activity| {
            let text = reply.text();
            assert!(text.contains("are kept under the name `Conversation`: "), "{text}");
            assert!(text.contains("`the conversation `greet`` and `the"), "{text}");
            assert!(text.contains("`.property(\"...\")` for a conversation"), "{text}");
        })
        .user("Ada")
        .expects("Hello, Ada.")
        .await;
}

#[test]
fn several_conversations_that_would_mix_are_a_mistake_at_the_start() {
    let bot = conversations()
        .on("greet", conversation("a", greet).property("Same"))
        .on(["count", "Greet!"], conversation("b", count).property("Same"))
        .bot();
    let mistakes = bot.mistakes();
    assert_eq!(mistakes.len(), 3, "{mistakes:?}");
    assert_eq!(mistakes[0], "two conversations are begun by the word `Greet!`");
    assert!(mistakes[1].starts_with(
        "the conversations `a` and `b` keep their journals in one property, `Same`; give one"
    ));
    assert!(mistakes[2].contains("add `.otherwise_say(\"...\")`"), "{mistakes:?}");
    let same = || conversation("a", greet);
    let bot = conversations().on("a", same()).on("b", same()).otherwise_say("?").bot();
    assert_eq!(bot.mistakes().len(), 1, "conversations of one name");
}

#[tokio::test]
async fn each_of_several_conversations_goes_on_where_it_stands() {
    let late = async |c: Conversation| -> Result<()> {
        let hour = std::time::Duration::from_secs(60 * 60);
        let question = text("Anything else?");
        let default = sayso_dialog::conversation::Late::Default("no".to_owned());
        let said = c.ask(question.within(hour, default)).await?;
        c.say(format!("Noted: {said}."));
        Ok(())
    };
    let bot = conversations()
        .on("count", conversation("count", count).begin_on("guests"))
        .on("late", conversation("late", late))
        .otherwise(conversation("greet", greet).begin_on_join())
        .bot();
    assert_eq!(bot.mistakes(), Vec::<String>::new());
    chat(bot)
        .joins()
        .expects("What is your name?")
        .user("count")
        .expects("Hello, count.")
        .user("Count!")
        .expects("How many guests?")
        .user("late")
        .expects("How many guests?")
        .user("3")
        .expects("A table for 3.")
        .user("late")
        .expects("Anything else?")
        .passes(std::time::Duration::from_secs(60 * 60))
        .expects("Noted: no.")
        .activity(Activity::event("guests"))
        .expects("How many guests?")
        .user("4")
        .expects("A table for 4.")
        .user("anything")
        .expects("What is your name?")
        .await;
}

#[tokio::test]
async fn a_question_shows_and_speaks_what_it_is_given() {
    async fn menu(c: Conversation) -> Result<()> {
        let card = Attachment {
            content_type: Some("application/vnd.microsoft.card.hero".to_owned()),
            content: Some(Raw::from_text(r#"{"title":"Menu"}"#.to_owned())?),
            ..Attachment::default()
        };
        let question = choice("Which one?", ["ham", "olives"])
            .attach(card)
            .speak("Which of the two?")
            .input_hint("acceptingInput")
            .style(ListStyle::None)
            .retry("Ham or olives?");
        let topping = c.ask(question).await?;
        let sure = c.ask(confirm(format!("{topping}, sure?")).style(ListStyle::None)).await?;
        c.say(format!("{sure}"));
        Ok(())
    }
    chat(conversation("menu", menu).bot())
        .user("hi")
        .expects_activity(|asked: &Activity| {
            assert_eq!(asked.text(), "Which one?");
            assert_eq!(asked.speak.as_deref(), Some("Which of the two?"));
            assert_eq!(asked.input_hint.as_deref(), Some("acceptingInput"));
            assert_eq!(asked.attachments.as_ref().unwrap().len(), 1);
        })
        .user("cheese")
        .expects_activity(|asked: &Activity| {
            assert_eq!(asked.text(), "Ham or olives?");
            assert_eq!((&asked.speak, &asked.attachments), (&None, &None));
            assert_eq!(asked.input_hint.as_deref(), Some("acceptingInput"));
        })
        .user("ham")
        .expects("ham, sure?")
        .user("yes")
        .expects("true")
        .await;
}

#[tokio::test]
async fn a_confirm_prompt_has_a_style_and_a_result_its_type() {
    async fn ask(step: Step<'_>) -> StepResult {
        step.prompt("sure", "Sure?").await
    }
    let root = sayso_dialog::ComponentDialog::new("root")
        .with(WaterfallDialog::new("ask").step(ask))
        .with(ConfirmPrompt::new("sure").style(ListStyle::None));
    let dialogs = Dialogs::new(root);
    let right = dialogs.clone().on_result(async |mut turn: Turn, sure: bool| {
        turn.say(if sure { "Good." } else { "Pity." });
        Ok(())
    });
    chat(right.bot()).user("hi").expects("Sure?").user("no").expects("Pity.").await;
    let wrong = dialogs.on_result(async |_: Turn, _: Vec<String>| Ok(()));
    chat(wrong.bot().on_error(sorry))
        .user("hi")
        .expects("Sure?")
        .user("no")
        .expects_containing("the result of the dialog `root` does not have the expected type")
        .await;
}
