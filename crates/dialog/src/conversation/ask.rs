//! Builder of a question: retry text, checks, deadlines.

use std::{borrow::Cow, fmt, time::Duration};

use sayso_activity::{Activity, Attachment};

use super::{Question, label};

/// A question with its retry text, checks and deadlines.
///
/// # Example
/// ```
/// use std::time::Duration;
/// use sayso_dialog::conversation::{Conversation, Late, Result, text};
///
/// async fn toppings(c: Conversation) -> Result<String> {
///     let day = Duration::from_secs(24 * 60 * 60);
///     let question = text("Which toppings?")
///         .named("toppings")
///         .retry("Name at least one, please.")
///         .check(|toppings| match toppings.contains("pineapple") {
///             true => Err("Not on my pizza. What else?"),
///             false => Ok(()),
///         })
///         .within(day, Late::Remind)
///         .within(3 * day, Late::Default("cheese".to_owned()));
///     Ok(c.ask(question).await?)
/// }
/// ```
#[must_use = "a question is put by `Conversation::ask`"]
pub struct Ask<Q: Question> {
    pub(super) question: Q,
    name: Option<Cow<'static, str>>,
    pub(super) retry: Option<Cow<'static, str>>,
    checks: Vec<Check<Q::Answer>>,
    pub(super) attempts_max: Option<u32>,
    pub(super) deadlines: Vec<(Duration, Late<Q::Answer>)>,
    pub(super) is_literal: bool,
    input_hint: Option<Cow<'static, str>>,
    /// Shown and spoken with the question, not with other words after a wrong answer.
    speak: Option<Cow<'static, str>>,
    attachments: Vec<Attachment>,
}

type Check<A> = Box<dyn Fn(&A) -> Result<(), String> + Send + Sync>;

/// The policy for a question that is not answered in time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Late<A> {
    /// It is asked again, once.
    Remind,
    /// This is the answer.
    Default(A),
    /// The conversation is cancelled, as by a cancel word.
    Cancel,
    /// `ask` fails with [`Error::Late`](super::Error::Late), for the code to handle.
    Fail,
}

impl<Q: Question> Ask<Q> {
    /// A question without retry text, checks or deadlines.
    pub fn new(question: Q) -> Self {
        Self {
            question,
            name: None,
            retry: None,
            checks: Vec::new(),
            attempts_max: None,
            deadlines: Vec::new(),
            is_literal: false,
            input_hint: None,
            speak: None,
            attachments: Vec::new(),
        }
    }

    /// Gives it a name in the journal. Then its words can change while conversations are under way.
    pub fn named(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Says this when an answer is not understood, instead of the question again.
    pub fn retry(mut self, words: impl Into<Cow<'static, str>>) -> Self {
        self.retry = Some(words.into());
        self
    }

    /// Takes only answers that pass. What the check returns otherwise is said.
    pub fn check<E: Into<String>>(
        mut self,
        check: impl Fn(&Q::Answer) -> Result<(), E> + Send + Sync + 'static,
    ) -> Self {
        self.checks.push(Box::new(move |answer| check(answer).map_err(Into::into)));
        self
    }

    /// Gives up after this many answers that were not understood, with
    /// [`Error::Attempts`](super::Error::Attempts).
    pub fn attempts(mut self, most: u32) -> Self {
        self.attempts_max = Some(most.max(1));
        self
    }

    /// Does something when no answer has come in this time after it was first asked. The time runs
    /// on while no process does. There can be several: remind after a day, cancel after three.
    pub fn within(mut self, time: Duration, late: Late<Q::Answer>) -> Self {
        self.deadlines.push((time, late));
        self
    }

    /// Takes every text as an answer, also one that would cancel, help or interrupt.
    pub fn literally(mut self) -> Self {
        self.is_literal = true;
        self
    }

    /// Speaks this when the question is asked: plain text or SSML.
    pub fn speak(mut self, text: impl Into<Cow<'static, str>>) -> Self {
        self.speak = Some(text.into());
        self
    }

    /// Shows a card, a picture or a file with the question. There can be several.
    pub fn attach(mut self, attachment: Attachment) -> Self {
        self.attachments.push(attachment);
        self
    }

    /// Sets the input hint: `expectingInput` unless another is given.
    pub fn input_hint(mut self, hint: impl Into<Cow<'static, str>>) -> Self {
        self.input_hint = Some(hint.into());
        self
    }

    /// Adds to a rendered question what is shown and spoken with it.
    pub(super) fn dress(&self, mut asked: Activity, is_question: bool) -> Activity {
        if let Some(hint) = &self.input_hint {
            asked.input_hint = Some(hint.clone().into_owned());
        }
        if let Some(speak) = self.speak.as_ref().filter(|_| is_question) {
            asked.speak = Some(speak.clone().into_owned());
        }
        if is_question && !self.attachments.is_empty() {
            asked.attachments.get_or_insert_default().extend(self.attachments.iter().cloned());
        }
        asked
    }

    pub(super) fn label(&self) -> String {
        match &self.name {
            Some(name) => label::named("ask", name),
            None => label::question(Q::KIND, self.question.text()),
        }
    }

    /// The first objection to an answer.
    pub(super) fn objection(&self, answer: &Q::Answer) -> Option<String> {
        self.checks.iter().find_map(|check| check(answer).err())
    }
}

impl<Q: Question> fmt::Debug for Ask<Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Ask").field(&self.label()).finish()
    }
}
