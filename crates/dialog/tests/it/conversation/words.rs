//! Cancel words, help words, and interruption by another conversation.

use sayso_dialog::conversation::{Conversation, Limits, Result, conversation, text};

use super::{Chat, asking, asks};

#[test]
fn a_cancel_word_ends_the_conversation() {
    let bot =
        || asking(&["a?", "b?"]).cancel_words(["cancel", "stop"]).on_cancel("As you wish.").bot();
    let mut chat = Chat::new(bot);
    chat.says("hi");
    chat.says("1");
    assert_eq!(chat.says("Stop!"), ["As you wish."]);
    assert_eq!(chat.journal(), None);
    assert_eq!(chat.says("cancel"), ["As you wish."], "it begins nothing");
    assert_eq!(chat.journal(), None);
    assert_eq!(chat.says("hi"), ["a?"]);
}

#[test]
fn help_is_given_and_the_question_asked_again() {
    let mut chat = Chat::new(|| asking(&["a?", "b?"]).help("You can answer.").bot());
    assert_eq!(chat.says("help"), ["You can answer."]);
    assert_eq!(chat.journal(), None);
    chat.says("hi");
    assert_eq!(chat.says("1"), ["Noted: 1", "b?"]);
    let journal = chat.journal();
    assert_eq!(chat.says("Help?"), ["You can answer.", "b?"]);
    assert_eq!(chat.says("?"), ["You can answer.", "b?"]);
    assert_eq!(chat.journal(), journal);
    let mut other = Chat::new(|| asking(&["a?"]).help("Voilà.").help_words("aide").bot());
    other.says("hi");
    assert_eq!(other.says("aide"), ["Voilà.", "a?"]);
    assert_eq!(other.says("help"), ["Noted: help", "All: help"]);
}

#[test]
fn without_words_every_text_is_an_answer() {
    let mut chat = Chat::with(asks(&["a?", "b?"]));
    chat.says("hi");
    assert_eq!(chat.says("help"), ["Noted: help", "b?"]);
    assert_eq!(chat.says("cancel"), ["Noted: cancel", "All: help cancel"]);
}

#[test]
fn a_question_can_take_every_text_literally() {
    async fn title(c: Conversation) -> Result<()> {
        let title = c.ask(text("Title?").literally()).await?;
        c.say(title);
        c.ask(text("Next?")).await?;
        Ok(())
    }
    let bot = || {
        conversation("title", title)
            .cancel_words("stop")
            .help("Help.")
            .interrupt("weather", asks(&["Town?"]))
            .bot()
    };
    for word in ["stop", "help", "weather"] {
        let mut chat = Chat::new(bot);
        chat.says("hi");
        assert_eq!(chat.says(word), [word, "Next?"]);
    }
    let mut chat = Chat::new(bot);
    chat.says("hi");
    chat.says("x");
    assert_eq!(chat.says("stop"), ["Cancelled."]);
}

fn interruptible() -> Chat {
    Chat::new(|| {
        asking(&["a?", "b?"])
            .cancel_words("stop")
            .interrupt(["weather", "forecast"], asks(&["Town?", "Day?"]))
            .interrupt("time", async |c: Conversation| {
                c.say("Noon.");
                Ok(())
            })
            .bot()
    })
}

#[test]
fn another_conversation_interrupts_and_the_question_comes_again() {
    let mut chat = interruptible();
    chat.says("hi");
    chat.says("1");
    assert_eq!(chat.says("Forecast!"), ["Town?"]);
    assert_eq!(chat.says("Rome"), ["Noted: Rome", "Day?"]);
    assert_eq!(chat.says("time"), ["Noon.", "Day?"], "one that needs no answer, on top of it");
    assert_eq!(
        chat.says("weather"),
        ["Noted: weather", "All: Rome weather", "b?"],
        "not in itself"
    );
    assert_eq!(chat.says("2"), ["Noted: 2", "All: 1 2"]);
    assert_eq!(chat.journal(), None);
}

#[test]
fn a_cancel_word_ends_the_interruption_only() {
    let mut chat = interruptible();
    chat.says("hi");
    chat.says("weather");
    assert_eq!(chat.says("stop"), ["Cancelled.", "a?"]);
    assert_eq!(chat.says("1"), ["Noted: 1", "b?"]);
}

#[test]
fn an_interruption_can_begin_without_a_conversation() {
    let mut chat = interruptible();
    assert_eq!(chat.says("time"), ["Noon."]);
    assert_eq!(chat.says("weather"), ["Town?"]);
    assert_eq!(chat.says("Rome"), ["Noted: Rome", "Day?"]);
    assert_eq!(chat.says("Monday"), ["Noted: Monday", "All: Rome Monday"]);
    assert_eq!(chat.journal(), None);
}

#[test]
fn interruptions_are_bounded() {
    let limits = Limits { nested_max: 2, ..Limits::default() };
    let mut chat = Chat::new(move || {
        asking(&["a?"])
            .limits(limits.clone())
            .interrupt("x", asks(&["x?"]))
            .interrupt("y", asks(&["y?"]))
            .bot()
    });
    chat.says("hi");
    assert_eq!(chat.says("x"), ["x?"]);
    assert!(chat.fails("y").contains("limit nested_max"));
    assert_eq!(chat.says("z"), ["Noted: z", "All: z", "a?"]);
}

#[test]
fn a_function_can_cancel_itself() {
    async fn picky(c: Conversation) -> Result<()> {
        if c.ask(text("Password?")).await? != "sesame" {
            c.say("Wrong.");
            c.cancel().await?;
        }
        c.say("Come in.");
        Ok(())
    }
    let mut chat = Chat::with(picky);
    chat.says("hi");
    assert_eq!(chat.says("x"), ["Wrong.", "Cancelled."]);
    assert_eq!(chat.journal(), None);
    chat.says("hi");
    assert_eq!(chat.says("sesame"), ["Come in."]);
}
