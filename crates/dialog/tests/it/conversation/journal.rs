//! The stored form of a journal, and texts that are not taken for one.

use sayso_dialog::conversation::{Conversation, Result, text};
use sayso_turn::Bag;

use super::{Chat, asking};

#[test]
fn the_journal_is_compact_and_holds_no_question() {
    async fn order(c: Conversation) -> Result<()> {
        c.ask(text("Size?").named("size")).await?;
        c.ask(text("A long question about toppings?")).await?;
        c.ask(text("Sure?").named("sure")).await?;
        Ok(())
    }
    let mut chat = Chat::with(order);
    for text in ["hi", "large", "ham"] {
        chat.says(text);
    }
    let expected = r#"{"v":1,"frames":[{"name":"test","scopes":[{"entries":[["ask size","large"],["ask text#b0b0b0b0","ham"]]}],"pending":{"label":"ask sure"}}]}"#;
    let journal = chat.journal().unwrap();
    let hash = journal.split('#').nth(1).unwrap().get(..8).unwrap();
    assert_eq!(journal.replace(hash, "b0b0b0b0"), expected);
}

#[test]
fn a_journal_of_a_newer_format_is_left_as_it_is() {
    for text in [r#"{"v":2,"frames":[]}"#, r#"{"v":2,"frames":{"new":1}}"#, r#"{"other":1}"#, "7"] {
        let mut chat = Chat::new(|| asking(&["a?"]).cancel_words("stop").bot());
        chat.says("hi");
        let json = format!(r#"{{"Conversation":{text}}}"#);
        for bag in chat.documents.values_mut() {
            *bag = Bag::from_json(&json).unwrap();
        }
        let before = chat.documents.clone();
        for message in ["1", "stop"] {
            let error = chat.fails(message);
            let is_clear = error.contains("format 2") || error.contains("does not fit");
            assert!(is_clear, "{error}");
            assert_eq!(chat.documents, before);
        }
    }
}

#[test]
fn damaged_journals_do_not_panic() {
    let odd = [
        r#"{"v":1,"frames":[{"name":"test","scopes":[]}]}"#,
        r#"{"v":1,"frames":[{"name":"test","scopes":[],"pending":{"label":"ask x"}}]}"#,
        r#"{"v":1,"frames":[{"name":"test","scopes":[{}]}]}"#,
        r#"{"v":1,"frames":[{"name":"test","scopes":[{},{},{}],"pending":{"label":"x","depth":9}}]}"#,
        r#"{"v":1,"frames":[{"name":"","scopes":[{"entries":[["",null,"failed"]]}]}]}"#,
        r#"{"v":1,"frames":[]}"#,
        r#"{"v":0,"frames":[]}"#,
    ];
    for text in odd {
        let mut chat = Chat::new(|| asking(&["a?"]).bot());
        chat.says("hi");
        let json = format!(r#"{{"Conversation":{text}}}"#);
        for bag in chat.documents.values_mut() {
            *bag = Bag::from_json(&json).unwrap();
        }
        for message in ["1", "2", "3"] {
            let heard = chat.hears(sayso_activity::Activity::message(message));
            assert!(heard.is_ok_and(|said| !said.is_empty()), "{text}");
        }
    }
}
