//! A flight, booked with help and cancel at every question: the official sample 13.core-bot,
//! straight down.
//!
//! It says the same as `core_bot`, the form with dialogs; one test holds both. Run it with
//! `SAYSO_AUTH=none cargo run --example core_bot_straight`.

#[path = "core_bot/request.rs"]
mod request;

use sayso::{dialog::recognize::Resolution, prelude::*};

use self::request::{Booking, Request, day_of, is_definite};

const FULL_DATE: &str =
    "I'm sorry, to make your booking please enter a full travel date including Day Month and Year.";

async fn main_dialog(c: Conversation) -> Result {
    let mut words = c.kept()?.unwrap_or_else(|| request::INTRODUCTION.to_owned());
    loop {
        let wish = c.ask(text(words)).await?;
        match request::read(&wish, c.now()?) {
            Request::Flight { booking, unsupported } => {
                if !unsupported.is_empty() {
                    c.say(request::unsupported(&unsupported));
                }
                if let Some(booking) = c.call("booking", |c| book(c, booking)).await? {
                    c.say(booking.sentence());
                }
            }
            Request::Weather => c.say("TODO: get weather flow here"),
            Request::Other => c.say(request::NOT_UNDERSTOOD),
        }
        words = "What else can I do for you?".to_owned();
        c.keep(&words)?; // the journal does not grow with the requests
    }
}

/// Destination, origin and date; only what is not known yet is asked.
async fn book(c: Conversation, mut booking: Booking) -> Result<Option<Booking>> {
    if booking.destination.is_none() {
        booking.destination = Some(c.ask(text("Where would you like to travel to?")).await?);
    }
    if booking.origin.is_none() {
        booking.origin = Some(c.ask(text("Where are you traveling from?")).await?);
    }
    if !booking.travel_date.as_deref().is_some_and(is_definite) {
        let words = match booking.travel_date {
            None => "When would you like to travel?",
            Some(_) => FULL_DATE,
        };
        let is_full = |dates: &Vec<Resolution>| match dates.first() {
            Some(date) if is_definite(&date.timex) => Ok(()),
            _ => Err(FULL_DATE),
        };
        let dates = c.ask(date(words).retry(FULL_DATE).check(is_full)).await?;
        booking.travel_date = dates.first().map(|date| day_of(&date.timex).to_owned());
    }
    let is_right = c.ask(confirm(booking.question())).await?;
    Ok(is_right.then_some(booking))
}

fn bot() -> Bot {
    conversation("main", main_dialog)
        .help("Show help here")
        .help_words(["help", "?"])
        .cancel_words(["cancel", "quit"])
        .on_cancel("Cancelling...")
        .bot()
        .on_joined(async |mut turn: Turn| {
            turn.send(request::welcome_card());
            Ok(())
        })
}

#[tokio::main]
async fn main() -> Result {
    serve(bot()).await
}

#[cfg(test)]
#[path = "dialogues/core_bot.rs"]
mod dialogues;

#[cfg(test)]
mod tests {
    use sayso::testing::chat;

    use super::*;

    #[tokio::test]
    async fn help_asks_again_and_cancel_begins_anew() {
        chat(bot())
            .joins()
            .expects_card("adaptive")
            .user("hi")
            .expects(request::INTRODUCTION)
            .user("Book a flight")
            .expects("Where would you like to travel to?")
            .user("help")
            .expects("Show help here")
            .expects("Where would you like to travel to?")
            .user("quit")
            .expects("Cancelling...")
            .user("hi")
            .expects(request::INTRODUCTION)
            .await;
    }
}
