//! Choice prompt: asks for one of several things.

use sayso_activity::Activity;

use super::{Inbound, Prompt, PromptOptions};
use crate::choice::{
    Choice, ChoiceOptions, FindOptions, FoundChoice, ListStyle, Place, recognize_choices, render,
};

/// Asks for one of the choices in the prompt's options.
#[derive(Clone, Debug, Default)]
pub struct Choose {
    /// The style of the choices where the options do not say.
    pub style: Option<ListStyle>,
    /// The separators between them; by the locale if not set.
    pub words: Option<ChoiceOptions>,
    /// The options of the search for a choice in an answer.
    pub find: FindOptions,
}

impl Choose {
    fn words(&self, locale: &str) -> ChoiceOptions {
        self.words.clone().unwrap_or_else(|| ChoiceOptions::of(locale))
    }
}

impl Prompt for Choose {
    type Value = FoundChoice;

    const KIND: &'static str = "choice";

    const NEEDS_OPTIONS: bool = true;

    fn render(&self, asked: Activity, options: &PromptOptions, inbound: &Inbound<'_>) -> Activity {
        let style = options.style.or(self.style).unwrap_or(ListStyle::Auto);
        let choices: &[Choice] = options.choices.as_deref().unwrap_or_default();
        let place = Place::of(inbound.activity);
        render(style, choices, Some(&asked), &self.words(inbound.locale), place)
    }

    fn recognize(&self, inbound: &Inbound<'_>, options: &PromptOptions) -> Option<FoundChoice> {
        let choices = options.choices.as_deref().unwrap_or_default();
        let found = recognize_choices(inbound.text(), choices, &self.find, inbound.language());
        found.into_iter().next().map(|found| found.value)
    }
}

#[cfg(test)]
mod tests {
    use sayso_activity::Activity;
    use sayso_turn::clock::Timestamp;

    use super::{Choice, Choose, FoundChoice, Inbound, ListStyle, Prompt, PromptOptions};

    fn colors() -> PromptOptions {
        PromptOptions::ask("favorite color?").choices(["red", "green", "blue"])
    }

    fn inbound(activity: &Activity) -> Inbound<'_> {
        Inbound::new(activity, None, None, Timestamp::from_millis(0))
    }

    fn shown(prompt: &Choose, options: &PromptOptions, channel: &str) -> Activity {
        let mut activity = Activity::message("hi");
        activity.channel_id = Some(channel.to_owned());
        prompt.render(*options.prompt.clone().unwrap(), options, &inbound(&activity))
    }

    #[test]
    fn the_choices_are_shown_as_fits_the_channel() {
        let sentence = "favorite color? (1) red, (2) green, or (3) blue";
        let prompt = Choose::default();
        assert_eq!(shown(&prompt, &colors(), "test").text(), sentence);
        let buttons = shown(&prompt, &colors(), "webchat");
        assert_eq!(buttons.text(), "favorite color?");
        assert!(buttons.suggested_actions.is_some());
    }

    #[test]
    fn the_style_of_the_options_goes_before_that_of_the_prompt() {
        let prompt = Choose { style: Some(ListStyle::None), ..Choose::default() };
        assert_eq!(shown(&prompt, &colors(), "test").text(), "favorite color?");
        let options = colors().style(ListStyle::List);
        let list = "favorite color?\n\n   1. red\n   2. green\n   3. blue";
        assert_eq!(shown(&prompt, &options, "test").text(), list);
    }

    #[test]
    fn an_answer_is_the_first_choice_that_it_names() {
        let read = |answer: &str| {
            let activity = Activity::message(answer);
            Choose::default().recognize(&inbound(&activity), &colors())
        };
        let found = |index: usize, value: &str, synonym: Option<&str>| {
            let synonym = synonym.map(str::to_owned);
            Some(FoundChoice { value: value.to_owned(), index, score: 1.0, synonym })
        };
        assert_eq!(read("Green"), found(1, "green", Some("green")));
        assert_eq!(read("blue or red"), found(2, "blue", Some("blue")));
        assert_eq!(read("3"), found(2, "blue", None));
        for answer in ["cat", "4", ""] {
            assert_eq!(read(answer), None);
        }
    }

    #[test]
    fn without_choices_nothing_is_an_answer() {
        let activity = Activity::message("1");
        let options = PromptOptions::ask("color?");
        assert_eq!(Choose::default().recognize(&inbound(&activity), &options), None);
        assert_eq!(shown(&Choose::default(), &options, "test").text(), "color?");
        let none = options.choices(Vec::<Choice>::new());
        assert_eq!(shown(&Choose::default(), &none, "webchat").suggested_actions, None);
    }
}
