//! Confirm prompt: asks for yes or no.

use sayso_activity::Activity;

use super::{Inbound, Prompt, PromptOptions};
use crate::{
    choice::{
        Choice, ChoiceOptions, FindOptions, ListStyle, Place, confirm_choices, find_choices,
        recognize_choices, render,
    },
    recognize::yes_or_no,
};

/// Asks for yes or no, in the words of the locale.
#[derive(Clone, Debug, Default)]
pub struct Confirm {
    /// The style of the two choices where the options do not say.
    pub style: Option<ListStyle>,
    /// The separators between them; by the locale if not set.
    pub words: Option<ChoiceOptions>,
    /// The words for yes and no; by the locale if they are not set.
    pub choices: Option<(Choice, Choice)>,
}

impl Confirm {
    fn choices(&self, locale: &str) -> [Choice; 2] {
        self.choices.clone().unwrap_or_else(|| confirm_choices(locale)).into()
    }

    fn words(&self, locale: &str) -> ChoiceOptions {
        self.words.clone().unwrap_or_else(|| ChoiceOptions::of(locale))
    }
}

impl Prompt for Confirm {
    type Value = bool;

    const KIND: &'static str = "confirm";

    fn render(&self, asked: Activity, options: &PromptOptions, inbound: &Inbound<'_>) -> Activity {
        let style = options.style.or(self.style).unwrap_or(ListStyle::Auto);
        let choices = self.choices(inbound.locale);
        let place = Place::of(inbound.activity);
        render(style, &choices, Some(&asked), &self.words(inbound.locale), place)
    }

    fn recognize(&self, inbound: &Inbound<'_>, _: &PromptOptions) -> Option<bool> {
        let (text, language) = (inbound.text(), inbound.language());
        let choices = self.choices(inbound.locale);
        // A pressed button sends exactly what stood on it. It goes first: "No changes" may be the
        // yes.
        if let [only] = &*find_choices(text, &choices, &FindOptions::default())
            && only.end - only.start == text.trim().len()
        {
            return Some(only.value.index == 0);
        }
        if let Some(found) = yes_or_no(text, language).first() {
            return Some(found.value);
        }
        // The words count always, the numbers only where the user could see them.
        let is_numbered = self.words(inbound.locale).include_numbers;
        let find = FindOptions {
            recognize_numbers: is_numbered,
            recognize_ordinals: is_numbered,
            ..FindOptions::default()
        };
        let found = recognize_choices(text, &choices, &find, language);
        found.first().map(|found| found.value.index == 0)
    }
}

#[cfg(test)]
mod tests {
    use sayso_activity::Activity;
    use sayso_turn::clock::Timestamp;

    use super::{Choice, ChoiceOptions, Confirm, Inbound, ListStyle, Prompt, PromptOptions};

    #[track_caller]
    fn check(prompt: &Confirm, locale: &str, answer: &str, expected: Option<bool>) {
        let activity = Activity::message(answer).with_locale(locale);
        let inbound = Inbound::new(&activity, None, None, Timestamp::from_millis(0));
        let recognized = prompt.recognize(&inbound, &PromptOptions::default());
        assert_eq!(recognized, expected, "{answer:?} in {locale}");
    }

    fn shown(prompt: &Confirm, options: &PromptOptions, locale: &str) -> String {
        let activity = Activity::message("hi").with_locale(locale);
        let inbound = Inbound::new(&activity, None, None, Timestamp::from_millis(0));
        prompt.render(Activity::message("Sure?"), options, &inbound).text().to_owned()
    }

    #[test]
    fn yes_and_no_are_shown_in_the_language_of_the_user() {
        let (prompt, options) = (Confirm::default(), PromptOptions::default());
        assert_eq!(shown(&prompt, &options, "en-US"), "Sure? (1) Yes or (2) No");
        assert_eq!(shown(&prompt, &options, "de-AT"), "Sure? (1) Ja oder (2) Nein");
        assert_eq!(shown(&prompt, &options, "ru"), "Sure? (1) да или (2) нет");
        let list = PromptOptions::default().style(ListStyle::List);
        assert_eq!(shown(&prompt, &list, ""), "Sure?\n\n   1. Yes\n   2. No");
        let none = Confirm { style: Some(ListStyle::None), ..prompt };
        assert_eq!(shown(&none, &options, ""), "Sure?");
        assert_eq!(shown(&none, &list, ""), "Sure?\n\n   1. Yes\n   2. No");
    }

    #[test]
    fn an_answer_is_read_by_word_then_by_number() {
        let prompt = Confirm::default();
        for (answer, expected) in [
            ("yes", Some(true)),
            ("Yes, please", Some(true)),
            ("NO", Some(false)),
            ("no thanks", Some(false)),
            ("1", Some(true)),
            ("2", Some(false)),
            ("3", None),
            ("perhaps", None),
            ("", None),
        ] {
            check(&prompt, "en-us", answer, expected);
        }
    }

    #[test]
    fn numbers_that_were_not_shown_do_not_count() {
        let words = Some(ChoiceOptions::default().without_numbers());
        let prompt = Confirm { words, ..Confirm::default() };
        check(&prompt, "en-us", "2", None);
        check(&prompt, "en-us", "the second", None);
        check(&prompt, "en-us", "yes", Some(true));
    }

    #[test]
    fn words_of_the_author_are_understood() {
        let choices = Some((Choice::from("No changes"), Choice::from("Rather not")));
        let words = Some(ChoiceOptions::default().without_numbers());
        let prompt = Confirm { choices, words, ..Confirm::default() };
        check(&prompt, "en-us", "no changes", Some(true));
        check(&prompt, "en-us", " Rather not ", Some(false));
        check(&prompt, "en-us", "I would rather not", Some(false));
        check(&prompt, "en-us", "yes", Some(true));
        check(&prompt, "en-us", "no", Some(false));
    }

    #[test]
    fn a_language_that_has_only_its_words_is_read_by_them() {
        let prompt = Confirm::default();
        check(&prompt, "pl-PL", "Tak", Some(true));
        check(&prompt, "pl-PL", "nie, dziękuję", Some(false));
        check(&prompt, "pl-PL", "2", Some(false));
    }
}
