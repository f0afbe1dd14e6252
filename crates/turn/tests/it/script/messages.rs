//! Messages of a failing script: the dialogue so far, and an arrow at the line that differs.

use sayso_turn::{
    Bot, BotError, Turn,
    activity::{Activity, Attachment, Kind},
    script::{Script, chat},
};

use super::{mismatch, pizza};

/// The layout below the first sentence must be this.
async fn shows(script: Script<'_>, sentence: &str, layout: &str) {
    let text = mismatch(script).await;
    let (first, rest) = text.split_once("\n\n").unwrap();
    let here = file!();
    assert!(first.starts_with(&format!("{sentence}, at {here}:")), "{text}");
    assert_eq!(rest, layout, "\n{text}");
}

#[tokio::test]
async fn another_text_is_shown_with_a_sign_at_the_first_difference() {
    shows(
        chat(pizza()).user("hi").expects("What size?").user("large").expects("Which toppings?"),
        "the bot says something other than the script expects",
        concat!(
            "    user:     hi\n",
            "    bot:      What size?\n",
            "    user:     large\n",
            " -> bot:      Which topping?\n",
            "    expected: Which toppings?\n",
            "                           ^\n",
        ),
    )
    .await;
}

#[tokio::test]
async fn the_place_is_the_line_of_the_step_that_differs() {
    let line = line!() + 6;
    let script = chat(pizza())
        .user("hi")
        .expects("What size?")
        .user("large")
        // Comments and blank lines do not matter.
        .expects("Which olives?")
        .user("ham")
        .expects("A large pizza with ham.");
    let text = mismatch(script).await;
    assert!(text.contains(&format!("{}:{line}:", file!())), "{text}");
}

#[tokio::test]
async fn silence_where_words_are_expected_is_shown_as_nothing() {
    shows(
        chat(Bot::new()).from_user("Ann").user("hi").expects_any(["Hello!", "Hi!"]),
        "the bot says nothing where the script expects a reply",
        concat!(
            "    Ann:      hi\n",
            "              (no handler)\n",
            " -> bot:      (nothing)\n",
            "    expected: Hello!\n",
            "    or:       Hi!\n",
        ),
    )
    .await;
}

#[tokio::test]
async fn words_where_silence_is_expected_are_pointed_at_wherever_they_are_noticed() {
    let layout =
        concat!("    user:     hi\n", " -> bot:      What size?\n", "    expected: (nothing)\n",);
    let sentence = "the bot says more than the script expects";
    let hi = || chat(pizza()).user("hi");
    shows(hi().expects_nothing(), sentence, layout).await;
    shows(hi().user("large"), sentence, layout).await;
    shows(hi().again(), sentence, layout).await;
    shows(hi().passes(std::time::Duration::ZERO), sentence, layout).await;
    shows(hi(), sentence, layout).await;
}

#[tokio::test]
async fn what_the_bot_said_after_the_difference_is_shown_too() {
    let bot = Bot::new().on_message(async |mut turn: Turn| {
        ["one", "two", "three"].into_iter().for_each(|text| drop(turn.say(text)));
        Ok(())
    });
    shows(
        chat(bot).user("count").expects("one").expects_containing("zwei"),
        "the bot says something other than the script expects",
        concat!(
            "    user:       count\n",
            "    bot:        one\n",
            " -> bot:        two\n",
            "    to contain: zwei\n",
            "    bot:        three\n",
        ),
    )
    .await;
}

#[tokio::test]
async fn texts_of_several_lines_stay_readable_and_spaces_are_made_visible() {
    let bot = |text: &'static str| {
        Bot::new().on_message(move |mut turn: Turn| {
            turn.say(text);
            async { Ok(()) }
        })
    };
    shows(
        chat(bot("Choose:\n1. red\n2. green")).user("hi").expects("Choose:\n1. red\n2. blue"),
        "the bot says something other than the script expects",
        concat!(
            "    user:     hi\n",
            " -> bot:      Choose:\n",
            "              1. red\n",
            "              2. green\n",
            "    expected: Choose:\n",
            "              1. red\n",
            "              2. blue\n",
            "              (they part in line 3 at character 4)\n",
        ),
    )
    .await;
    shows(
        chat(bot("What size? ")).user("hi").expects("What size?"),
        "the bot says something other than the script expects",
        concat!(
            "    user:     hi\n",
            " -> bot:      What size?\n",
            "    expected: What size?\n",
            "    said:     \"What size? \"\n",
            "    not:      \"What size?\"\n",
        ),
    )
    .await;
}

#[tokio::test]
async fn a_failure_is_shown_with_its_cause() {
    let bot = || Bot::new().on_message(async |_| Err::<(), BotError>("no oven".into()));
    let layout = concat!(
        "    user:     bake\n",
        " -> failure:  the bot's logic failed: no oven\n",
        "    expected: Done!\n",
    );
    shows(chat(bot()).user("bake").expects("Done!"), "the turn fails", layout).await;
    let layout = layout.replace("Done!", "(nothing)");
    shows(chat(bot()).user("bake"), "the turn fails", &layout).await;
    let layout = "    user:     hi\n -> bot:      What size?\n    expected: the turn to fail\n";
    shows(chat(pizza()).user("hi").expects_failure(), "the turn does not fail", layout).await;
}

#[tokio::test]
async fn a_check_shows_what_it_looked_at_and_why_it_fails() {
    let text = mismatch(chat(pizza()).user("hi").expects_activity(|a| a.text().is_empty())).await;
    assert!(text.starts_with("the check of the bot's activity fails, at "), "{text}");
    assert!(
        text.contains("    check:    it is false\n    activity: {\"type\":\"message\""),
        "{text}"
    );

    let state = chat(pizza()).user("large").expects("Which topping?");
    let text = mismatch(state.state(|bag| assert!(bag.is_empty(), "it should be empty"))).await;
    assert!(text.starts_with("the check of the conversation's state fails, at "), "{text}");
    let rows = "    check: it should be empty\n    state: {\"order\":[\"large\"]}\n";
    assert!(text.ends_with(rows), "{text}");

    let invoke = Activity { name: Some("go".into()), ..Activity::new(Kind::Invoke) };
    let bot = || Bot::new().on_invoke("go", async |mut turn: Turn| Ok(turn.respond(404, "no")?));
    let answered = chat(bot()).activity(invoke.clone());
    let text = mismatch(answered.expects_response(|answer| answer.status == 200)).await;
    assert!(text.contains("    answer: 404 \"no\"\n"), "{text}");
    let text = mismatch(chat(Bot::new()).activity(invoke).expects_response(|_| true)).await;
    assert!(text.starts_with("the bot does not answer the invoke, at "), "{text}");
}

#[tokio::test]
async fn a_card_that_is_another_one_is_named() {
    let bot = Bot::new().on_message(async |mut turn: Turn| {
        let card = Attachment::with_content("application/vnd.microsoft.card.hero", &[1])?;
        turn.send(Activity::message("Look:").with_attachment(card));
        Ok(())
    });
    let text = mismatch(chat(bot).user("show").expects_card("adaptive")).await;
    assert!(text.contains("Look: [Attachment=application/vnd.microsoft.card.hero]\n"), "{text}");
    assert!(text.contains("a card, application/vnd.microsoft.card.adaptive\n"), "{text}");
}

#[tokio::test]
async fn a_step_that_cannot_be_done_says_what_to_do() {
    let text = mismatch(chat(pizza()).user("hi").expects("What size?").restart()).await;
    assert!(text.contains("begin with `chat_with`"), "{text}");
    let text = mismatch(chat(pizza()).restarting().user("hi")).await;
    assert!(text.contains("begin with `chat_with`"), "{text}");
    let text = mismatch(chat(pizza()).again()).await;
    assert!(text.starts_with("there is no activity to deliver again, at "), "{text}");
    let text = mismatch(chat(pizza()).on_channel("").user("hi")).await;
    assert!(text.contains("channelId is missing or empty"), "{text}");
}

/// Awaiting fails the test with the same words.
#[tokio::test]
async fn an_awaited_script_panics_with_the_dialogue() {
    let script = chat(pizza()).user("hi").expects("What time?");
    let panic = tokio::spawn(script.into_future()).await.unwrap_err().into_panic();
    let text = panic.downcast::<String>().unwrap();
    assert!(text.contains(" -> bot:      What size?\n    expected: What time?\n"), "{text}");
}
