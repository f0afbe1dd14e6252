//! Calls to the outside that a script makes fail.

use sayso_turn::{Bot, BotError, Turn, script::chat_with};

use super::mismatch;

/// Orders; tells the user when the oven cannot be reached, and fails when the payment cannot.
fn orders() -> Bot {
    Bot::new().on_message(async |mut turn: Turn| {
        let oven = turn.once("oven", async |_| Err::<(), _>(BotError::from("no oven"))).await;
        let paid = turn.once("pay", async |_| Ok::<_, BotError>(7)).await?;
        turn.say(format!(
            "{}, receipt {paid}",
            oven.err().map_or_else(String::new, |e| e.to_string())
        ));
        Ok(())
    })
}

#[tokio::test]
async fn a_forced_failure_is_one_calls_and_every_run_of_its_turn_sees_it() {
    chat_with(orders)
        .contended()
        .restarting()
        .fails("pay")
        .user("one")
        .expects_failure()
        .again() // the channel delivers it once more
        .expects("no oven, receipt 7")
        .fails_with("oven", || BotError::from("a cold oven"))
        .user("two")
        .expects("a cold oven, receipt 7")
        .await;
}

#[tokio::test]
async fn a_call_that_is_never_made_or_fails_otherwise_is_a_mismatch() {
    let never = chat_with(orders).fails("py").user("one").expects("no oven, receipt 7");
    let text = mismatch(never).await;
    assert!(text.starts_with("the call `py` was to fail, and was never made, at "), "{text}");

    #[derive(Debug)]
    struct Refused;
    let script = chat_with(orders).fails_with("pay", || Refused);
    let text = mismatch(script.user("one").expects("no oven, receipt 7")).await;
    assert!(text.starts_with("the call `pay` fails with a "), "{text}");
    assert!(text.contains("Refused: use `fails_with`"), "{text}");
}

#[tokio::test]
async fn a_step_fails_at_every_try_and_is_taken_in_the_next_turn() {
    let bot = || {
        Bot::new().on_message(async |mut turn: Turn| {
            let paid: Result<u32, _> =
                turn.step("charge", async |_| Ok::<_, BotError>(7)).attempts(3).await;
            turn.say(match paid {
                Ok(number) => format!("receipt {number}"),
                Err(error) => error.to_string(),
            });
            Ok(())
        })
    };
    chat_with(bot)
        .restarting()
        .fails_with("charge", || BotError::from("no money"))
        .user("one")
        .expects_containing("charge")
        .user("two")
        .expects("receipt 7")
        .await;
}
