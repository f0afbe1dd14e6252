//! Conversations that are called by others, and checkpoints.

use std::sync::Mutex;

use sayso_dialog::conversation::{Conversation, Error, Result, number, text};
use sayso_turn::BotError;

use super::Chat;

async fn address(c: Conversation) -> Result<(String, u32)> {
    let street = c.ask(text("Street?")).await?;
    c.say(format!("{street} is nice."));
    let house = c.ask(number("House?")).await?;
    Ok((street, house))
}

#[test]
fn a_called_conversation_is_replaced_by_its_result() {
    async fn travel(c: Conversation) -> Result<()> {
        let home = c.call("home", address).await?;
        c.say("Now the other one.");
        let work: (String, u32) = c
            .call("work", |c| async move {
                c.say("Inside.");
                Ok(c.call("deep", address).await?)
            })
            .await?;
        c.ask(text("Sure?")).await?;
        c.say(format!("From {home:?} to {work:?}."));
        Ok(())
    }
    let mut chat = Chat::with(travel);
    assert_eq!(chat.says("hi"), ["Street?"]);
    assert_eq!(chat.says("Elm"), ["Elm is nice.", "House?"]);
    assert_eq!(chat.says("many"), ["House?"]);
    assert_eq!(chat.says("1"), ["Now the other one.", "Inside.", "Street?"]);
    assert_eq!(chat.says("Oak"), ["Oak is nice.", "House?"]);
    assert_eq!(chat.says("2"), ["Sure?"]);
    let journal = chat.journal().unwrap();
    assert!(journal.contains(r#"[["call home",["Elm",1]],["call work",["Oak",2]]]"#), "{journal}");
    assert_eq!(chat.says("y"), [r#"From ("Elm", 1) to ("Oak", 2)."#]);
}

#[test]
fn a_called_conversation_that_fails_can_be_handled() {
    async fn strict(c: Conversation) -> Result<u8> {
        Ok(c.ask(text("Number?")).await?.parse()?)
    }
    async fn outer(c: Conversation) -> Result<()> {
        let number = match c.call("number", strict).await {
            Ok(number) => number,
            Err(Error::Failed { source, .. }) => {
                c.say(format!("Oh: {source}."));
                0
            }
            Err(error) => return Err(error.into()),
        };
        c.ask(text("Else?")).await?;
        c.say(number.to_string());
        Ok(())
    }
    let mut chat = Chat::with(outer);
    chat.says("hi");
    assert_eq!(chat.says("x"), ["Oh: invalid digit found in string.", "Else?"]);
    assert_eq!(chat.says("no"), ["0"]);
}

#[test]
fn endless_calls_are_refused_with_the_name_of_the_limit() {
    fn deeper(c: Conversation) -> futures_util::future::BoxFuture<'static, Result<()>> {
        Box::pin(async move { Ok(c.call("deeper", deeper).await?) })
    }
    let mut chat = Chat::with(deeper);
    let error = chat.fails("hi");
    assert!(error.contains("limit nested_max"), "{error}");
}

#[test]
fn a_loop_of_two_hundred_answers_keeps_a_short_journal() {
    async fn sum(c: Conversation) -> Result<()> {
        let (mut total, mut count): (u64, u32) = c.kept()?.unwrap_or_default();
        while count < 200 {
            let next: u64 = c.ask(number("Next?").named("next")).await?;
            (total, count) = (total + next, count + 1);
            if count.is_multiple_of(50) {
                c.say(format!("{count} so far."));
            }
            c.keep(&(total, count))?;
        }
        c.say(format!("The sum is {total}."));
        Ok(())
    }
    let mut chat = Chat::with(sum);
    chat.says("hi");
    let mut most = 0;
    for next in 1..200 {
        let said = chat.says(&next.to_string());
        let expected: &[String] = &match next % 50 {
            0 => vec![format!("{next} so far."), "Next?".to_owned()],
            _ => vec!["Next?".to_owned()],
        };
        assert_eq!(said, expected);
        most = most.max(chat.journal().unwrap().len());
    }
    assert!(most < 150, "{most}");
    assert_eq!(chat.says("200"), ["200 so far.", "The sum is 20100."]);
    assert_eq!(chat.journal(), None);
}

#[test]
fn a_checkpoint_that_is_passed_again_forgets_nothing() {
    async fn steps(c: Conversation) -> Result<()> {
        let first = match c.kept::<String>()? {
            Some(first) => first,
            None => c.ask(text("a?")).await?,
        };
        c.keep(&first)?;
        let second = c.ask(text("b?")).await?;
        let third = c.ask(text("c?")).await?;
        c.say(format!("{first} {second} {third}"));
        Ok(())
    }
    let mut chat = Chat::with(steps);
    assert_eq!(chat.says("hi"), ["a?"]);
    assert_eq!(chat.says("1"), ["b?"]);
    assert_eq!(chat.says("2"), ["c?"]);
    assert_eq!(chat.says("3"), ["1 2 3"]);
}

#[test]
fn effects_before_and_after_a_checkpoint_have_different_keys() {
    static KEYS: Mutex<Vec<String>> = Mutex::new(Vec::new());
    async fn pay(c: Conversation) -> Result<()> {
        for n in c.kept::<u32>()?.unwrap_or_default()..3 {
            c.once("pay", |key| async move {
                KEYS.lock().unwrap().push(key.as_str().to_owned());
                Ok::<_, BotError>(())
            })
            .await?;
            c.keep(&(n + 1))?;
        }
        Ok(())
    }
    assert!(Chat::with(pay).says("hi").is_empty());
    let mut keys = KEYS.lock().unwrap().clone();
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), 3, "{keys:?}");
}

#[test]
fn a_called_conversation_has_checkpoints_of_its_own() {
    async fn list(c: Conversation) -> Result<Vec<String>> {
        let mut items: Vec<String> = c.kept()?.unwrap_or_default();
        loop {
            match c.ask(text("More?")).await?.as_str() {
                "done" => return Ok(items),
                item => items.push(item.to_owned()),
            }
            c.keep(&items)?;
        }
    }
    async fn outer(c: Conversation) -> Result<()> {
        let first = c.ask(text("First?")).await?;
        let items = c.call("list", list).await?;
        c.say(format!("{first}: {}", items.join(" ")));
        Ok(())
    }
    let mut chat = Chat::with(outer);
    chat.says("hi");
    for item in ["x", "a", "b", "c"] {
        assert_eq!(chat.says(item), ["More?"]);
    }
    assert_eq!(chat.says("done"), ["x: a b c"]);
}
