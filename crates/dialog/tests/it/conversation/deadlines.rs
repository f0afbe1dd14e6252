//! Deadlines, reminders and sleeping: timers that are durable, and stale ones.

use std::time::Duration;

use sayso_activity::Activity;
use sayso_dialog::conversation::{Conversation, Error, Late, Result, conversation, number, text};
use sayso_turn::clock::Timestamp;

use super::Chat;

const HOUR: Duration = Duration::from_secs(3600);

#[test]
fn a_question_reminds_and_then_takes_its_default() {
    async fn order(c: Conversation) -> Result<()> {
        let question = text("Toppings?")
            .within(HOUR, Late::Remind)
            .within(3 * HOUR, Late::Default("cheese".to_owned()));
        let toppings = c.ask(question).await?;
        c.say(format!("With {toppings}."));
        Ok(())
    }
    let mut chat = Chat::with(order);
    assert_eq!(chat.says("hi"), ["Toppings?"]);
    let times: Vec<_> = chat.timers.iter().map(|(at, _)| *at).collect();
    assert_eq!(times, [Timestamp::START.after(HOUR), Timestamp::START.after(3 * HOUR)]);
    let reminder = chat.timers[0].1.clone();
    assert_eq!(chat.rings(0), ["Toppings?"]);
    assert_eq!(chat.timers.len(), 1, "a reminder comes once");
    assert!(chat.hears(reminder).unwrap().is_empty(), "also when its event comes again");
    assert_eq!(chat.rings(0), ["With cheese."]);
    assert_eq!(chat.journal(), None);
}

#[test]
fn an_answer_in_time_makes_the_timers_stale() {
    async fn order(c: Conversation) -> Result<()> {
        let ask = |question| text(question).within(HOUR, Late::Default("late".to_owned()));
        let first = c.ask(ask("a?")).await?;
        let second = c.ask(ask("b?")).await?;
        c.say(format!("{first} {second}"));
        Ok(())
    }
    let mut chat = Chat::with(order);
    chat.says("hi");
    assert_eq!(chat.says("1"), ["b?"]);
    assert_eq!(chat.timers.len(), 2);
    let journal = chat.journal();
    assert!(chat.rings(0).is_empty(), "the timer of the first question is nobody's");
    assert_eq!(chat.journal(), journal);
    assert_eq!(chat.rings(0), ["1 late"]);
    assert!(chat.hears(Activity::event("sayso/deadline")).unwrap().is_empty());
}

#[test]
fn an_answered_question_cancels_its_timers() {
    // Seen through the engine's own eyes: what a turn cancels it does not ask for any more.
    async fn order(c: Conversation) -> Result<()> {
        let name = c.ask(text("a?").within(HOUR, Late::Cancel)).await?;
        c.say(name);
        Ok(())
    }
    let bot = || conversation("test", order).cancel_words("stop").bot();
    for (answer, said) in [("1", "1"), ("stop", "Cancelled.")] {
        let world = sayso_sim::simulate(bot).script(["hi", answer]).instances(1).seed(1);
        world.check(|world| {
            let replies = world.replies(0);
            // Which of the two lines came first is up to the world.
            let is_it = replies == ["a?", said] || replies == ["a?", "hi"] || answer == "stop";
            assert!(is_it, "{replies:?}");
        });
    }
}

#[test]
fn a_deadline_cancels() {
    async fn order(c: Conversation) -> Result<()> {
        c.ask(text("a?").within(HOUR, Late::Cancel)).await?;
        c.say("Never said.");
        Ok(())
    }
    let mut chat = Chat::new(|| conversation("test", order).on_cancel("Too late.").bot());
    chat.says("hi");
    assert_eq!(chat.rings(0), ["Too late."]);
    assert_eq!(chat.journal(), None);
    assert_eq!(chat.says("hi"), ["a?"]);
}

#[test]
fn a_deadline_and_attempts_can_be_handled_and_are_replayed() {
    async fn order(c: Conversation) -> Result<()> {
        let count: u8 = match c.ask(number("How many?").attempts(2)).await {
            Err(Error::Attempts { attempts, .. }) => {
                c.say(format!("{attempts} are enough."));
                1
            }
            count => count?,
        };
        let name = match c.ask(text("Name?").within(HOUR, Late::Fail)).await {
            Err(Error::Late { .. }) => "nobody".to_owned(),
            name => name?,
        };
        c.ask(text("Sure?")).await?;
        c.say(format!("{count} for {name}"));
        Ok(())
    }
    let mut chat = Chat::with(order);
    chat.says("hi");
    assert_eq!(chat.says("x"), ["How many?"]);
    assert_eq!(chat.says("y"), ["2 are enough.", "Name?"]);
    assert_eq!(chat.rings(0), ["Sure?"]);
    assert_eq!(chat.says("yes"), ["1 for nobody"]);
}

#[test]
fn attempts_that_are_not_handled_fail_the_turn() {
    async fn order(c: Conversation) -> Result<u8> {
        Ok(c.ask(number("How many?").named("count").attempts(1)).await?)
    }
    let mut chat = Chat::with(order);
    chat.says("hi");
    let error = chat.fails("many secret words");
    assert_eq!(error, "`ask count` was not answered in 1 attempts");
}

#[test]
fn the_objection_of_a_check_is_sent_and_counts_as_an_attempt() {
    async fn order(c: Conversation) -> Result<()> {
        let count: u8 = c
            .ask(
                number("How many?")
                    .retry("A number, please.")
                    .check(|count| if *count > 9 { Err("Too many.") } else { Ok(()) })
                    .check(|count| if *count == 0 { Err(format!("{count}?")) } else { Ok(()) })
                    .attempts(4),
            )
            .await
            .unwrap_or(99);
        c.say(count.to_string());
        Ok(())
    }
    let mut chat = Chat::with(order);
    chat.says("hi");
    assert_eq!(chat.says("x"), ["A number, please."]);
    assert_eq!(chat.says("10"), ["Too many."]);
    assert_eq!(chat.says("0"), ["0?"]);
    assert_eq!(chat.says("y"), ["99"]);
}

#[test]
fn sleep_lasts_until_its_timer_and_messages_do_not_end_it() {
    async fn egg(c: Conversation) -> Result<()> {
        let name = c.ask(text("Name?")).await?;
        c.say("Boiling.");
        c.sleep(HOUR).await?;
        c.say(format!("Your egg, {name}."));
        c.sleep(HOUR).await?;
        c.say("It is cold now.");
        Ok(())
    }
    let mut chat = Chat::new(|| conversation("egg", egg).busy("Patience.").bot());
    chat.says("hi");
    assert_eq!(chat.says("Ann"), ["Boiling."]);
    assert_eq!(chat.says("ready?"), ["Patience."]);
    assert!(chat.hears(Activity::event("sayso/deadline")).unwrap().is_empty());
    assert_eq!(chat.rings(0), ["Your egg, Ann."]);
    assert_eq!(chat.says("thanks"), ["Patience."]);
    assert_eq!(chat.timers.len(), 1);
    assert_eq!(chat.rings(0), ["It is cold now."]);
    assert_eq!(chat.journal(), None);

    let mut quiet = Chat::with(egg);
    quiet.says("hi");
    quiet.says("Ann");
    let journal = quiet.journal();
    assert!(quiet.says("ready?").is_empty());
    assert_eq!(quiet.journal(), journal);
}

#[test]
fn a_deadline_that_passes_during_an_interruption_counts_after_it() {
    async fn order(c: Conversation) -> Result<()> {
        let name = c.ask(text("Name?").within(HOUR, Late::Default("Bo".to_owned()))).await?;
        c.say(format!("For {name}."));
        Ok(())
    }
    async fn weather(c: Conversation) -> Result<()> {
        let town = c.ask(text("Town?")).await?;
        c.say(format!("Sun in {town}."));
        Ok(())
    }
    let mut chat = Chat::new(|| conversation("order", order).interrupt("weather", weather).bot());
    chat.says("hi");
    assert_eq!(chat.says("weather"), ["Town?"]);
    assert!(chat.rings(0).is_empty());
    assert_eq!(chat.says("Rome"), ["Sun in Rome.", "For Bo."]);
}
