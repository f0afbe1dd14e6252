//! The built-in questions, and one of an author's own.

use sayso_activity::{Activity, Attachment};
use sayso_dialog::conversation::{
    Ask, Conversation, Question, QuestionContext, Result, activity, attachment, choice, confirm,
    conversation, date, number,
};

use super::Chat;

#[test]
fn every_built_in_question_is_asked_and_answered() {
    async fn gallery(c: Conversation) -> Result<()> {
        let whole: i32 = c.ask(number("whole?").retry("A whole number.")).await?;
        let any: f64 = c.ask(number("any?")).await?;
        let sure = c.ask(confirm("sure?")).await?;
        let colour = c.ask(choice("colour?", ["red", "green"]).retry("One of these:")).await?;
        let files = c.ask(attachment("file?")).await?;
        let event = activity("event?").check(|activity| match activity.name.as_deref() {
            Some("paid") => Ok(()),
            _ => Err("Not that."),
        });
        let event = c.ask(event).await?;
        let days = c.ask(date("when?")).await?;
        let day = days.first().map(|day| day.timex.clone()).unwrap_or_default();
        let file = files[0].name.clone().unwrap_or_default();
        let name = event.name.unwrap_or_default();
        c.say(format!("{whole} {any} {sure} {colour} {file} {name} {day}"));
        Ok(())
    }
    let mut chat = Chat::new(|| conversation("gallery", gallery).events(["paid", "other"]).bot());
    assert_eq!(chat.says("hi"), ["whole?"]);
    assert_eq!(chat.says("1.5"), ["A whole number."]);
    assert_eq!(chat.says("-7"), ["any?"]);
    assert_eq!(chat.says("2.5"), ["sure? (1) Yes or (2) No"]);
    assert_eq!(chat.says("no"), ["colour? (1) red or (2) green"]);
    assert_eq!(chat.says("blue"), ["One of these: (1) red or (2) green"]);
    assert_eq!(chat.says("2"), ["file?"]);
    let file =
        Attachment { name: Some("f.txt".into()), ..Attachment::with_url("text/plain", "x:") };
    assert_eq!(
        chat.hears(Activity::new("message".into()).with_attachment(file)).unwrap(),
        ["event?"]
    );
    assert_eq!(chat.says("a word"), ["Not that."]);
    assert_eq!(chat.hears(Activity::event("other")).unwrap(), ["Not that."]);
    assert_eq!(chat.hears(Activity::event("paid")).unwrap(), ["when?"]);
    assert_eq!(chat.says("nothing"), ["when?"]);
    assert_eq!(chat.says("2026-11-15"), ["-7 2.5 false green f.txt paid 2026-11-15"]);
}

#[test]
fn a_custom_question_sees_its_context() {
    struct Even;

    impl Question for Even {
        type Answer = u64;
        const KIND: &'static str = "even";

        fn text(&self) -> &str {
            "An even number?"
        }

        fn render(&self, context: &QuestionContext<'_>) -> Activity {
            let words = context.words.unwrap_or_else(|| self.text());
            Activity::message(format!("{words} ({}, {})", context.attempts, context.locale()))
        }

        fn recognize(&self, activity: &Activity, _: &QuestionContext<'_>) -> Option<u64> {
            activity.text().parse().ok().filter(|number: &u64| number.is_multiple_of(2))
        }
    }

    async fn even(c: Conversation) -> Result<()> {
        let number = c.ask(Ask::new(Even).retry("Even!")).await?;
        c.say(number.to_string());
        Ok(())
    }
    let mut chat = Chat::with(even);
    assert_eq!(chat.says("hi"), ["An even number? (0, )"]);
    let german = Activity::message("3").with_locale("de");
    assert_eq!(chat.hears(german).unwrap(), ["Even! (1, de)"]);
    assert_eq!(chat.says("4"), ["4"]);
}
