//! Choices in every style.

use sayso_activity::{Account, Activity, Attachment, ConversationAccount, Raw};
use serde_json::{Value, json};

use super::{ChoiceOptions, ListStyle, Place, render};
use crate::choice::{CardAction, Choice};

const COLORS: [&str; 4] = ["red", "green", "blue", "pink"];

fn colors(count: usize) -> Vec<Choice> {
    COLORS.into_iter().take(count).map(Choice::from).collect()
}

fn button(title: &str) -> Value {
    json!({"type": "imBack", "title": title, "value": title})
}

#[track_caller]
fn check(style: ListStyle, count: usize, numbers: bool, expected: &Value) {
    let options = ChoiceOptions { include_numbers: numbers, ..ChoiceOptions::default() };
    let prompt = Activity::message("color?");
    let question = render(style, &colors(count), Some(&prompt), &options, Place::channel("test"));
    let question: Value = serde_json::from_slice(&question.to_json()).unwrap();
    let mut all = json!({"type": "message", "inputHint": "expectingInput"});
    all.as_object_mut().unwrap().extend(expected.as_object().unwrap().clone());
    assert_eq!(question, all, "{style:?} of {count}, numbers {numbers}");
}

#[test]
fn inline_is_one_sentence() {
    for (count, numbers, text) in [
        (0, true, "color?"),
        (1, true, "color? (1) red"),
        (1, false, "color? red"),
        (2, true, "color? (1) red or (2) green"),
        (2, false, "color? red or green"),
        (3, true, "color? (1) red, (2) green, or (3) blue"),
        (3, false, "color? red, green, or blue"),
        (4, true, "color? (1) red, (2) green, (3) blue, or (4) pink"),
    ] {
        check(ListStyle::Inline, count, numbers, &json!({"text": text}));
    }
}

#[test]
fn a_list_has_a_line_for_each() {
    for (count, numbers, text) in [
        (0, true, "color?"),
        (1, true, "color?\n\n   1. red"),
        (1, false, "color?\n\n   - red"),
        (2, true, "color?\n\n   1. red\n   2. green"),
        (2, false, "color?\n\n   - red\n   - green"),
        (3, true, "color?\n\n   1. red\n   2. green\n   3. blue"),
        (3, false, "color?\n\n   - red\n   - green\n   - blue"),
    ] {
        check(ListStyle::List, count, numbers, &json!({"text": text}));
    }
}

#[test]
fn buttons_have_no_numbers() {
    for numbers in [true, false] {
        for count in 1..=3 {
            let buttons: Vec<_> = COLORS[..count].iter().map(|color| button(color)).collect();
            let under = json!({"text": "color?", "suggestedActions": {"actions": buttons}});
            check(ListStyle::SuggestedAction, count, numbers, &under);
            let card = json!({
                "contentType": "application/vnd.microsoft.card.hero",
                "content": {"text": "color?", "buttons": buttons},
            });
            check(ListStyle::HeroCard, count, numbers, &json!({"attachments": [card]}));
            check(ListStyle::None, count, numbers, &json!({"text": "color?"}));
        }
    }
    check(ListStyle::SuggestedAction, 0, true, &json!({"text": "color?"}));
    check(ListStyle::HeroCard, 0, true, &json!({"text": "color?"}));
}

#[test]
fn the_automatic_style_depends_on_the_channel() {
    let prompt = Activity::message("color?");
    let options = ChoiceOptions::default();
    for (channel, count) in [("webchat", 3), ("slack", 3), ("test", 3), ("test", 4)] {
        let (place, choices) = (Place::channel(channel), colors(count));
        let auto = render(ListStyle::Auto, &choices, Some(&prompt), &options, place);
        let style = place.style_for(&choices);
        assert_eq!(auto, render(style, &choices, Some(&prompt), &options, place));
        assert_ne!(auto, render(ListStyle::None, &choices, Some(&prompt), &options, place));
    }
}

#[test]
fn the_recorded_conversation_is_rendered_word_for_word() {
    for (prompt, text) in [
        ("favorite color?", "favorite color? (1) red, (2) green, or (3) blue"),
        (
            "I didn't catch that. Select a color from the list.",
            "I didn't catch that. Select a color from the list. (1) red, (2) green, or (3) blue",
        ),
    ] {
        let prompt = Activity::message(prompt);
        let options = ChoiceOptions::of("en-us");
        let place = Place::channel("test");
        let question = render(ListStyle::Auto, &colors(3), Some(&prompt), &options, place);
        assert_eq!(question.text(), text);
    }
}

#[test]
fn languages_have_their_own_words() {
    for (locale, two, three) in [
        ("fr-FR", "(1) red ou (2) green", "(1) red, (2) green, ou (3) blue"),
        ("zh-CN", "(1) red 要么 (2) green", "(1) red， (2) green， 要么 (3) blue"),
        ("ru", "(1) red или (2) green", "(1) red, (2) green, или (3) blue"),
        ("it-IT", "(1) red o (2) green", "(1) red, (2) green o (3) blue"),
    ] {
        let options = ChoiceOptions::of(locale);
        for (count, text) in [(2, two), (3, three)] {
            let place = Place::default();
            let question = render(ListStyle::Inline, &colors(count), None, &options, place);
            assert_eq!(question.text(), text);
        }
    }
}

#[test]
fn a_prompt_keeps_what_the_choices_do_not_replace() {
    let prompt = Activity {
        conversation: Some(ConversationAccount::new("c")),
        ..Activity::message("color?")
            .with_speak("Which color?")
            .with_input_hint("acceptingInput")
            .with_attachment(Attachment::with_url("image/png", "https://a/b"))
            .with_suggested_actions(&json!({"actions": [button("other")]}))
            .unwrap()
            .with_extra("importance", Raw::from(json!("high")))
    };
    let options = ChoiceOptions::default();
    let show = |style| render(style, &colors(1), Some(&prompt), &options, Place::channel("x"));

    let inline = show(ListStyle::Inline);
    assert_eq!(inline, Activity { text: Some("color? (1) red".to_owned()), ..prompt.clone() });

    let under = show(ListStyle::SuggestedAction);
    let buttons = under.suggested_actions.clone().unwrap().get::<Value>().unwrap();
    assert_eq!(buttons, json!({"actions": [button("red")]}));
    assert_eq!(
        Activity { suggested_actions: prompt.suggested_actions.clone(), ..under },
        prompt.clone()
    );

    let card = show(ListStyle::HeroCard);
    let attachments = card.attachments.clone().unwrap();
    assert_eq!((attachments.len(), card.text.as_deref()), (2, None));
    assert_eq!(attachments[0], prompt.attachments.clone().unwrap()[0]);
    assert_eq!(card.suggested_actions, prompt.suggested_actions);
    assert_eq!(card.speak, prompt.speak);
}

#[test]
fn without_a_prompt_or_its_text_the_choices_stand_alone() {
    let options = ChoiceOptions::default();
    let expected = r#"{"type":"message","text":"(1) red","inputHint":"expectingInput"}"#;
    for prompt in [None, Some(&Activity::default())] {
        let place = Place::default();
        let question = render(ListStyle::Inline, &colors(1), prompt, &options, place);
        assert_eq!(String::from_utf8(question.to_json()).unwrap(), expected);
        let list = render(ListStyle::List, &colors(2), prompt, &options, place);
        assert_eq!(list.text(), "   1. red\n   2. green");
        let none = render(ListStyle::None, &colors(2), prompt, &options, place);
        assert_eq!(none.text, None);
    }
}

#[test]
fn buttons_under_a_message_are_for_the_one_who_is_asked() {
    let inbound = Activity {
        channel_id: Some("webchat".to_owned()),
        from: Some(Account::new("ann")),
        ..Activity::message("hi")
    };
    let options = ChoiceOptions::default();
    let question = render(ListStyle::Auto, &colors(1), None, &options, Place::of(&inbound));
    let buttons = question.suggested_actions.unwrap().get::<Value>().unwrap();
    assert_eq!(buttons, json!({"to": ["ann"], "actions": [button("red")]}));
}

#[test]
fn a_choice_with_an_action_is_shown_by_its_title() {
    let action = CardAction::new("postBack", "Red!").with_value(json!({"rgb": "f00"}));
    let choices = [Choice::from("red").with_action(action), Choice::from("green")];
    let options = ChoiceOptions::default();
    let show = |style| render(style, &choices, None, &options, Place::default());
    assert_eq!(show(ListStyle::Inline).text(), "(1) Red! or (2) green");
    assert_eq!(show(ListStyle::List).text(), "   1. Red!\n   2. green");

    let red = json!({"type": "postBack", "title": "Red!", "value": {"rgb": "f00"}});
    let buttons = json!([red, button("green")]);
    let under = show(ListStyle::SuggestedAction).suggested_actions.unwrap();
    assert_eq!(under.get::<Value>().unwrap()["actions"], buttons);
    // JavaScript puts the value of the choice on a card, and loses the action.
    let card = show(ListStyle::HeroCard).attachments.unwrap().remove(0).content.unwrap();
    assert_eq!(card.get::<Value>().unwrap()["buttons"], buttons);
}
