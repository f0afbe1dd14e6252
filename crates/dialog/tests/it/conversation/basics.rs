//! Asking, saying and ending, and activities that must not disturb them.

use sayso_activity::{Activity, Kind};
use sayso_dialog::conversation::{Conversation, Result, choice, confirm, conversation, text};
use sayso_turn::Turn;
use serde::{Deserialize, Serialize};

use super::{Chat, asking, asks};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Size {
    Small,
    Large,
}

async fn order(c: Conversation, price: u32) -> Result<Option<(Size, String)>> {
    c.say("Welcome.");
    let size =
        c.ask(choice("What size?", [("small", Size::Small), ("large", Size::Large)])).await?;
    let toppings = c.ask(text("Which toppings?").retry("Name at least one.")).await?;
    if !c.ask(confirm(format!("A {size:?} pizza with {toppings} for {price}?"))).await? {
        c.say("Okay, order cancelled.");
        return Ok(None);
    }
    Ok(Some((size, toppings)))
}

fn pizza() -> Chat {
    Chat::new(|| {
        conversation("order", |c| order(c, 7))
            .on_done(async |mut turn: Turn, order| {
                if let Some((size, toppings)) = order {
                    turn.say(format!("Baking {toppings}, {size:?}."));
                    *turn.state().named::<u32>("baked")? += 1;
                }
                Ok(())
            })
            .bot()
    })
}

#[test]
fn a_conversation_is_written_straight_down() {
    let mut chat = pizza();
    let size = "What size? (1) small or (2) large";
    assert_eq!(chat.says("hi"), ["Welcome.", size]);
    assert_eq!(chat.says("enormous"), [size]);
    assert_eq!(chat.says("2"), ["Which toppings?"]);
    assert_eq!(chat.says("  "), ["Name at least one."]);
    let sure = "A Large pizza with ham for 7? (1) Yes or (2) No";
    assert_eq!(chat.says("ham"), [sure]);
    assert_eq!(chat.says("yes"), ["Baking ham, Large."]);
    assert_eq!(chat.journal(), None);
    assert_eq!(chat.property("baked").as_deref(), Some("1"));
    assert_eq!(chat.says("again"), ["Welcome.", size]);
    assert_eq!(chat.says("small"), ["Which toppings?"]);
    chat.says("figs");
    assert_eq!(chat.says("no"), ["Okay, order cancelled."]);
    assert_eq!(chat.property("baked").as_deref(), Some("1"));
}

#[test]
fn a_replay_sends_only_new_messages() {
    let mut chat = Chat::with(asks(&["a?", "b?", "c?"]));
    assert_eq!(chat.says("hi"), ["a?"]);
    assert_eq!(chat.says("1"), ["Noted: 1", "b?"]);
    assert_eq!(chat.says("2"), ["Noted: 2", "c?"]);
    assert_eq!(chat.says("3"), ["Noted: 3", "All: 1 2 3"]);
}

#[test]
fn a_turn_can_be_run_again_from_the_same_documents() {
    let mut chat = pizza();
    chat.says("hi");
    chat.says("large");
    let before = chat.documents.clone();
    let first = chat.hears(Activity { id: Some("x".into()), ..Activity::message("ham") }).unwrap();
    let after = std::mem::replace(&mut chat.documents, before);
    let again = chat.hears(Activity { id: Some("x".into()), ..Activity::message("ham") }).unwrap();
    assert_eq!((first, after), (again, chat.documents.clone()));
}

#[test]
fn other_activities_leave_the_question_as_it_is() {
    let bot = || {
        let handler = asking(&["a?", "b?"]).handler();
        sayso_turn::Bot::new().on_any(handler)
    };
    let mut chat = Chat::new(bot);
    let odd = || {
        let update = Activity::from_json(
            br#"{"type":"conversationUpdate","membersAdded":[{"id":"ann"},{"id":"bot"}]}"#,
        );
        [
            Activity::typing(),
            Activity::event("sayso/deadline"),
            Activity::event("other").with_value(&[1]).unwrap(),
            Activity::new(Kind::Invoke),
            Activity::new(Kind::MessageReaction),
            Activity::new(Kind::Other("own".into())),
            Activity::end_of_conversation(),
            update.unwrap(),
        ]
    };
    for activity in odd() {
        // An author who hands these over may think that they begin it, and is told.
        let is_told =
            activity.name.as_deref() == Some("other") || activity.kind == Kind::ConversationUpdate;
        match chat.hears(activity) {
            Ok(said) => assert!(!is_told && said.is_empty(), "{said:?}"),
            Err(error) => {
                assert!(is_told && format!("{error:?}").contains("begin_on"), "{error:?}")
            }
        }
        assert_eq!(chat.journal(), None);
    }
    assert_eq!(chat.says("hi"), ["a?"]);
    let journal = chat.journal();
    for activity in odd() {
        assert!(chat.hears(activity).unwrap().is_empty());
        assert_eq!(chat.journal(), journal);
    }
    assert_eq!(chat.says("1"), ["Noted: 1", "b?"]);
}

#[test]
fn a_bot_handles_messages_deadlines_and_named_events_only() {
    use sayso_turn::Logic;
    let bot = asking(&["a?"]).events(["paid"]).bot();
    assert!(bot.handles(&Activity::message("")));
    assert!(bot.handles(&Activity::event("sayso/deadline")));
    assert!(bot.handles(&Activity::event("paid")));
    assert!(!bot.handles(&Activity::event("other")));
    assert!(!bot.handles(&Activity::typing()));
}

#[test]
fn a_message_without_text_is_asked_again() {
    let mut chat = Chat::with(asks(&["a?"]));
    chat.says("hi");
    assert_eq!(chat.hears(Activity::new(Kind::Message)).unwrap(), ["a?"]);
}

#[test]
fn a_journal_can_be_kept_under_another_property() {
    let mut chat = Chat::new(|| asking(&["a?"]).property("Other").bot());
    chat.says("hi");
    assert_eq!(chat.journal(), None);
    assert!(chat.property("Other").is_some());
}

#[test]
fn an_error_of_the_function_fails_the_turn_and_changes_nothing() {
    async fn fragile(c: Conversation) -> Result<()> {
        let text = c.ask(text("Text?")).await?;
        c.say("Let me see.");
        let number: u8 = text.parse()?;
        c.say(number.to_string());
        Ok(())
    }
    let mut chat = Chat::with(fragile);
    chat.says("hi");
    let before = chat.documents.clone();
    assert_eq!(chat.fails("x"), "invalid digit found in string");
    assert_eq!(chat.documents, before);
    assert_eq!(chat.says("7"), ["Let me see.", "7"]);
}

#[test]
fn a_panic_of_the_function_fails_the_turn_and_changes_nothing() {
    async fn fragile(c: Conversation) -> Result<()> {
        let text = c.ask(text("Text?")).await?;
        c.say(&text[10..]);
        Ok(())
    }
    let mut chat = Chat::with(fragile);
    chat.says("hi");
    let before = chat.documents.clone();
    assert_eq!(chat.fails("x"), "the bot's logic panicked");
    assert_eq!(chat.documents, before);
}
