//! Built-in questions. They use the same prompts as the classic dialogs.

use std::borrow::Cow;

use sayso_activity::Activity;
use serde::{Serialize, de::DeserializeOwned};

use super::{Ask, Question, QuestionContext};
use crate::{
    choice::{Choice, ListStyle},
    prompt::{
        Any, Attach, Choose, Confirm, Count, Date, FromNumber, Inbound, Prompt, PromptOptions,
    },
};

/// Asks for a text. White space around it is dropped; an empty answer is rejected.
///
/// # Example
/// ```
/// use sayso_dialog::conversation::text;
///
/// let name = text("What is your name?").check(|name| match name.chars().count() {
///     0..=100 => Ok(()),
///     _ => Err("A shorter one, please."),
/// });
/// # drop(name);
/// ```
pub fn text(words: impl Into<Cow<'static, str>>) -> Ask<Text> {
    Ask::new(Text(words.into()))
}

/// Asks for a number, of the type that the answer is used as; a whole type takes no fractions.
///
/// # Example
/// ```
/// # use sayso_dialog::conversation::{Conversation, Result, number};
/// async fn cake(c: Conversation) -> Result<f64> {
///     let guests: u8 = c.ask(number("How many guests?")).await?;
///     let kilos: f64 = c.ask(number("How many kilos of cake?")).await?;
///     Ok(kilos / f64::from(guests))
/// }
/// ```
pub fn number<T: FromNumber>(words: impl Into<Cow<'static, str>>) -> Ask<Prompted<Count<T>>> {
    prompt(words, Count::default(), PromptOptions::default())
}

/// Asks for yes or no, in the language of the user.
pub fn confirm(words: impl Into<Cow<'static, str>>) -> Ask<Prompted<Confirm>> {
    prompt(words, Confirm::default(), PromptOptions::default())
}

/// Asks for a date or a time: everything that the first mention of one can mean.
pub fn date(words: impl Into<Cow<'static, str>>) -> Ask<Prompted<Date>> {
    prompt(words, Date, PromptOptions::default())
}

/// Asks for files.
pub fn attachment(words: impl Into<Cow<'static, str>>) -> Ask<Prompted<Attach>> {
    prompt(words, Attach, PromptOptions::default())
}

/// Asks for an activity of any kind: the next one, unless a [`check`](Ask::check) says otherwise.
/// Events come only if their names are given to [`Flow::events`](super::Flow::events).
pub fn activity(words: impl Into<Cow<'static, str>>) -> Ask<Prompted<Any>> {
    prompt(words, Any, PromptOptions::default())
}

/// Asks as any [`Prompt`] does, with its options.
pub fn prompt<P: Prompt>(
    words: impl Into<Cow<'static, str>>,
    prompt: P,
    options: PromptOptions,
) -> Ask<Prompted<P>> {
    Ask::new(Prompted { words: words.into(), prompt, options })
}

/// Asks for one of several things, by word, number or place. Texts give a text; pairs of a text and
/// a value give the value.
///
/// # Example
/// ```
/// use sayso_dialog::conversation::{Conversation, Result, choice};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Clone, Serialize, Deserialize)]
/// enum Size { Small, Large }
///
/// async fn order(c: Conversation) -> Result<(Size, String)> {
///     let sizes = [("small", Size::Small), ("large", Size::Large)];
///     let size = c.ask(choice("What size?", sizes)).await?;
///     let crust = c.ask(choice("Which crust?", ["thin", "thick"])).await?;
///     Ok((size, crust))
/// }
/// ```
pub fn choice<O: Offer>(
    words: impl Into<Cow<'static, str>>,
    offers: impl IntoIterator<Item = O>,
) -> Ask<OneOf<O::Answer>> {
    let (choices, answers): (Vec<_>, _) = offers.into_iter().map(Offer::offer).unzip();
    let options = PromptOptions::default().choices(choices);
    let prompt = Prompted { words: words.into(), prompt: Choose::default(), options };
    Ask::new(OneOf { prompt, answers })
}

impl<P: Prompt> Ask<Prompted<P>> {
    /// Shows the choices of the question in this style: buttons, a list, none.
    ///
    /// # Example
    /// ```
    /// use sayso_dialog::{choice::ListStyle, conversation::confirm};
    ///
    /// let sure = confirm("Are you sure?").style(ListStyle::None);
    /// # drop(sure);
    /// ```
    pub fn style(mut self, style: ListStyle) -> Self {
        self.question.options.style = Some(style);
        self
    }
}

impl<A: Serialize + DeserializeOwned + Clone + Send + Sync> Ask<OneOf<A>> {
    /// Shows the choices in this style: buttons, a list, none.
    pub fn style(mut self, style: ListStyle) -> Self {
        self.question.prompt.options.style = Some(style);
        self
    }
}

/// Something that can be chosen. See [`choice`].
pub trait Offer {
    /// The answer when it is chosen.
    type Answer: Serialize + DeserializeOwned + Clone + Send + Sync;

    /// The choice as it is shown and understood, and the answer.
    fn offer(self) -> (Choice, Self::Answer);
}

impl Offer for Choice {
    type Answer = String;

    fn offer(self) -> (Choice, String) {
        let answer = self.value.clone();
        (self, answer)
    }
}

impl Offer for &str {
    type Answer = String;

    fn offer(self) -> (Choice, String) {
        Choice::new(self).offer()
    }
}

impl Offer for String {
    type Answer = Self;

    fn offer(self) -> (Choice, Self) {
        Choice::new(self).offer()
    }
}

impl<C: Into<Choice>, A: Serialize + DeserializeOwned + Clone + Send + Sync> Offer for (C, A) {
    type Answer = A;

    fn offer(self) -> (Choice, A) {
        (self.0.into(), self.1)
    }
}

/// Asks for a text. See [`text`].
#[derive(Clone, Debug)]
pub struct Text(Cow<'static, str>);

impl Question for Text {
    type Answer = String;
    const KIND: &'static str = "text";

    fn text(&self) -> &str {
        &self.0
    }

    fn recognize(&self, activity: &Activity, _: &QuestionContext<'_>) -> Option<String> {
        let text = activity.text().trim();
        (activity.is_message() && !text.is_empty()).then(|| text.to_owned())
    }
}

/// Asks as a prompt does. See [`prompt`].
#[derive(Clone, Debug)]
pub struct Prompted<P> {
    words: Cow<'static, str>,
    prompt: P,
    options: PromptOptions,
}

impl<P: Prompt> Question for Prompted<P> {
    type Answer = P::Value;
    const KIND: &'static str = P::KIND;

    fn text(&self) -> &str {
        &self.words
    }

    fn render(&self, context: &QuestionContext<'_>) -> Activity {
        let words = context.words.unwrap_or(&self.words);
        let asked = Activity::message(words).with_input_hint("expectingInput");
        self.prompt.render(asked, &self.options, &self.inbound(context.inbound, context))
    }

    fn recognize(&self, activity: &Activity, context: &QuestionContext<'_>) -> Option<P::Value> {
        if !self.prompt.takes(activity) {
            return None;
        }
        self.prompt.recognize(&self.inbound(activity, context), &self.options)
    }
}

impl<P> Prompted<P> {
    fn inbound<'a>(&'a self, activity: &'a Activity, context: &QuestionContext<'_>) -> Inbound<'a> {
        let locale = self.options.recognize_language.as_deref();
        Inbound::new(activity, locale, None, context.now)
    }
}

/// Asks for one of several things. See [`choice`].
#[derive(Clone, Debug)]
pub struct OneOf<A> {
    prompt: Prompted<Choose>,
    /// One for each choice.
    answers: Vec<A>,
}

impl<A: Serialize + DeserializeOwned + Clone + Send + Sync> Question for OneOf<A> {
    type Answer = A;
    const KIND: &'static str = Choose::KIND;

    fn text(&self) -> &str {
        self.prompt.text()
    }

    fn render(&self, context: &QuestionContext<'_>) -> Activity {
        self.prompt.render(context)
    }

    fn recognize(&self, activity: &Activity, context: &QuestionContext<'_>) -> Option<A> {
        let found = self.prompt.recognize(activity, context)?;
        self.answers.get(found.index).cloned()
    }
}
