//! A flight, booked with help and cancel at every question: the official sample 13.core-bot.
//!
//! In place of its language service stands `core_bot/request.rs`, a few words and the recogniser of
//! dates. Run it with `SAYSO_AUTH=none cargo run --example core_bot`; written straight down it is
//! `core_bot_straight`.

#[path = "core_bot/request.rs"]
mod request;

use sayso::{
    dialog::{
        Check, ComponentDialog, ConfirmPrompt, DateTimePrompt, DialogContext, DialogTurn, Dialogs,
        PromptOptions, Step, StepResult, TextPrompt, WaterfallDialog, recognize::Resolution,
    },
    prelude::*,
};
use serde_json::Value;

use self::request::{Booking, Request, day_of, is_definite};

const FULL_DATE: &str =
    "I'm sorry, to make your booking please enter a full travel date including Day Month and Year.";

/// Help and cancel, in every dialog of a booking.
async fn interrupt(dc: &mut DialogContext) -> Result<Option<DialogTurn>> {
    match dc.turn().text().to_lowercase().as_str() {
        "help" | "?" => {
            dc.turn().say("Show help here");
            Ok(Some(DialogTurn::waiting()))
        }
        "cancel" | "quit" => {
            dc.turn().say("Cancelling...");
            dc.cancel_all().await.map(Some)
        }
        _ => Ok(None),
    }
}

/// A date with day, month and year.
mod date_resolver {
    use super::*;

    async fn initial(step: Step<'_>) -> StepResult {
        let question = match step.options::<Option<String>>()? {
            None => PromptOptions::ask("When would you like to travel?").retry(FULL_DATE),
            // There is a date, and it could mean several.
            Some(_) => PromptOptions::ask(FULL_DATE),
        };
        step.prompt("DateTimePrompt", question).await
    }

    async fn last(step: Step<'_>) -> StepResult {
        let dates: Vec<Resolution> = step.result()?;
        let day = dates.first().map(|date| day_of(&date.timex).to_owned());
        step.end(day).await
    }

    fn is_full(check: &mut Check<'_, Vec<Resolution>>) -> bool {
        check.value.iter().flatten().next().is_some_and(|date| is_definite(&date.timex))
    }

    pub(super) fn dialog() -> ComponentDialog {
        ComponentDialog::new("DateResolverDialog")
            .with(WaterfallDialog::new("WaterfallDialog").step(initial).step(last))
            .with(DateTimePrompt::new("DateTimePrompt").validate(is_full))
            .interrupted_by(interrupt)
    }
}

/// Destination, origin and date; only what is not known yet is asked.
mod booking {
    use super::*;

    async fn destination(mut step: Step<'_>) -> StepResult {
        let booking: Booking = step.options()?;
        step.keep("booking", &booking)?;
        match booking.destination {
            Some(known) => step.next(known),
            None => step.prompt("TextPrompt", "Where would you like to travel to?").await,
        }
    }

    async fn origin(mut step: Step<'_>) -> StepResult {
        let mut booking: Booking = step.value("booking")?;
        booking.destination = step.result()?;
        step.keep("booking", &booking)?;
        match booking.origin {
            Some(known) => step.next(known),
            None => step.prompt("TextPrompt", "Where are you traveling from?").await,
        }
    }

    async fn travel_date(mut step: Step<'_>) -> StepResult {
        let mut booking: Booking = step.value("booking")?;
        booking.origin = step.result()?;
        step.keep("booking", &booking)?;
        match booking.travel_date {
            Some(date) if is_definite(&date) => step.next(date),
            unclear => step.begin("DateResolverDialog", unclear).await,
        }
    }

    async fn confirm(mut step: Step<'_>) -> StepResult {
        let mut booking: Booking = step.value("booking")?;
        booking.travel_date = step.result()?;
        step.keep("booking", &booking)?;
        step.prompt("ConfirmPrompt", booking.question()).await
    }

    async fn last(mut step: Step<'_>) -> StepResult {
        let booking: Booking = step.value("booking")?;
        let confirmed = step.result::<bool>()?.then_some(booking);
        step.end(confirmed).await
    }

    pub(super) fn dialog() -> ComponentDialog {
        let steps = WaterfallDialog::new("WaterfallDialog").step(destination).step(origin);
        ComponentDialog::new("BookingDialog")
            .with(steps.step(travel_date).step(confirm).step(last))
            .with(TextPrompt::new("TextPrompt"))
            .with(ConfirmPrompt::new("ConfirmPrompt"))
            .with(date_resolver::dialog())
            .interrupted_by(interrupt)
    }
}

async fn intro(step: Step<'_>) -> StepResult {
    let words: Option<String> = step.options()?;
    step.prompt("TextPrompt", words.unwrap_or_else(|| request::INTRODUCTION.to_owned())).await
}

async fn act(mut step: Step<'_>) -> StepResult {
    let now = step.turn().now();
    match request::read(step.turn().text(), now) {
        Request::Flight { booking, unsupported } => {
            if !unsupported.is_empty() {
                step.say(request::unsupported(&unsupported));
            }
            return step.begin("BookingDialog", booking).await;
        }
        Request::Weather => step.say("TODO: get weather flow here"),
        Request::Other => step.say(request::NOT_UNDERSTOOD),
    }
    step.next(Value::Null)
}

async fn last(mut step: Step<'_>) -> StepResult {
    if let Some(booking) = step.result::<Option<Booking>>()? {
        step.say(booking.sentence());
    }
    step.replace("WaterfallDialog", "What else can I do for you?").await
}

fn bot() -> Bot {
    let root = ComponentDialog::new("MainDialog")
        .with(WaterfallDialog::new("WaterfallDialog").step(intro).step(act).step(last))
        .with(TextPrompt::new("TextPrompt"))
        .with(booking::dialog());
    Dialogs::new(root).bot().on_joined(async |mut turn: Turn| {
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
    async fn help_waits_inside_a_booking_and_cancel_ends_it() {
        chat(bot())
            .joins()
            .expects_card("adaptive")
            .user("hi")
            .expects(request::INTRODUCTION)
            .user("Book a flight")
            .expects("Where would you like to travel to?")
            .user("help")
            .expects("Show help here")
            .user("Berlin")
            .expects("Where are you traveling from?")
            .user("quit")
            .expects("Cancelling...")
            .expects("What else can I do for you?")
            .await;
    }
}
