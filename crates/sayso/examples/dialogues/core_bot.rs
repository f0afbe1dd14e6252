//! Dialogues of 13.core-bot: both forms of it must hold them.

use sayso::testing::chat_with;

use super::*;

#[tokio::test]
async fn what_is_known_is_not_asked_and_the_next_request_follows() {
    chat_with(bot)
        .restarting()
        .contended()
        .user("hi")
        .expects(request::INTRODUCTION)
        .user("Book a flight from Paris to Berlin on March 22, 2027")
        .expects(concat!(
            "Please confirm, I have you traveling to: Berlin from: Paris on: 2027-03-22. ",
            "Is this correct? (1) Yes or (2) No"
        ))
        .user("yes")
        .expects("I have you booked to Berlin from Paris on 2027-03-22")
        .expects("What else can I do for you?")
        .user("what is the weather like?")
        .expects("TODO: get weather flow here")
        .expects("What else can I do for you?")
        .user("sing")
        .expects(request::NOT_UNDERSTOOD)
        .expects("What else can I do for you?")
        .await;
}

#[tokio::test]
async fn what_is_missing_is_asked_until_the_date_is_whole() {
    chat_with(bot)
        .restarting()
        .user("hi")
        .expects_containing("What can I help you with today?")
        .user("I would like to fly")
        .expects("Where would you like to travel to?")
        .user("London")
        .expects("Where are you traveling from?")
        .user("New York")
        .expects("When would you like to travel?")
        .user("one day")
        .expects(FULL_DATE)
        .user("in March")
        .expects(FULL_DATE)
        .user("2027-03-22")
        .expects_containing("traveling to: London from: New York on: 2027-03-22.")
        .user("no")
        .expects("What else can I do for you?")
        .await;
}

#[tokio::test]
async fn a_date_without_a_year_is_asked_for_and_an_unknown_airport_is_told() {
    chat_with(bot)
        .user("hi")
        .expects_containing("What can I help you with today?")
        .user("Book a flight from Paris to Atlantis on March 22")
        .expects("Sorry but the following airports are not supported: Atlantis")
        .expects("Where would you like to travel to?")
        .user("Seattle")
        .expects(FULL_DATE)
        .user("March 22, 2027")
        .expects_containing("traveling to: Seattle from: Paris on: 2027-03-22.")
        .user("yes")
        .expects("I have you booked to Seattle from Paris on 2027-03-22")
        .expects("What else can I do for you?")
        .await;
}
