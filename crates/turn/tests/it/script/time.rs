//! Time in a script: it passes when the script says so, and timers fire on the way.

use std::time::Duration;

use sayso_turn::{
    Bot, TimerId, Turn,
    activity::Activity,
    clock::Timestamp,
    script::{Line, chat, chat_with},
};

use super::{minutes, mismatch};

fn reminders() -> Bot {
    Bot::new()
        .on_message(async |mut turn: Turn| {
            match turn.text().split_once(' ') {
                Some(("in", wait)) => {
                    let wait = Duration::from_secs(wait.parse()?);
                    let event = Activity::event("ring").with_value(&wait.as_secs())?;
                    let id = turn.after(wait, event);
                    *turn.state().named("last")? = Some(id);
                }
                _ => {
                    let last = turn.state().named::<Option<TimerId>>("last")?.clone();
                    turn.cancel(&last.ok_or("nothing to cancel")?);
                }
            }
            Ok(())
        })
        .on_event("ring", async |mut turn: Turn| {
            let wait: u64 = turn.activity().value.as_ref().ok_or("no value")?.get()?;
            let user = turn.activity().from.as_ref().and_then(|from| from.id.clone());
            let line = format!("{} for {wait} s", user.unwrap_or_default());
            turn.say(line);
            if wait == 7 {
                turn.after(Duration::from_secs(1), Activity::event("ring").with_value(&1)?);
            }
            Ok(())
        })
}

#[tokio::test]
async fn timers_fire_in_the_order_of_their_times_and_once() {
    let dialogue = chat(reminders())
        .from_user("ann")
        .user("in 30")
        .user("in 10")
        .from_user("ben")
        .user("in 20")
        .passes(Duration::from_secs(9))
        .expects_nothing()
        .passes(Duration::from_secs(21))
        .expects("ann for 10 s")
        .expects("ben for 20 s")
        .expects("ann for 30 s")
        .passes(minutes(60))
        .expects_nothing()
        .await;
    let is_reply = |activity: &Activity| activity.reply_to_id.is_some();
    assert!(!dialogue.replies().any(is_reply), "the channel never had the timer's id");
    assert_eq!(dialogue.lines().iter().filter(|line| matches!(line, Line::Timer(_))).count(), 3);
}

#[tokio::test]
async fn a_timer_of_a_timer_fires_in_the_same_wait_at_its_own_time() {
    let bot = Bot::new()
        .on_message(async |mut turn: Turn| {
            turn.after(Duration::from_secs(10), Activity::event("tick"));
            Ok(())
        })
        .on_event("tick", async |mut turn: Turn| {
            let line = format!("{}", turn.now().as_millis());
            turn.say(line);
            turn.after(Duration::from_secs(10), Activity::event("tick"));
            Ok(())
        });
    chat(bot)
        .starts_at(Timestamp::from_millis(1))
        .user("go")
        .passes(Duration::from_secs(25))
        .expects("10001")
        .expects("20001")
        .passes(Duration::from_secs(5))
        .expects("30001")
        .await;
}

#[tokio::test]
async fn a_cancelled_timer_does_not_fire() {
    chat(reminders())
        .user("in 10")
        .user("in 20")
        .user("cancel")
        .passes(minutes(1))
        .expects("user for 10 s")
        .await;
}

#[tokio::test]
async fn a_timer_waits_through_a_restart() {
    chat_with(reminders)
        .user("in 7")
        .restart()
        .passes(minutes(1))
        .expects("user for 7 s")
        .expects("user for 1 s")
        .await;
}

#[tokio::test]
async fn timers_without_an_end_are_a_mismatch_and_not_a_hang() {
    let bot = Bot::new().on_any(async |mut turn: Turn| {
        turn.after(Duration::ZERO, Activity::event("again"));
        Ok(())
    });
    let text = mismatch(chat(bot).user("go").passes(Duration::ZERO)).await;
    assert!(text.starts_with("timers fire without an end"), "{}", text.lines().next().unwrap());
}
