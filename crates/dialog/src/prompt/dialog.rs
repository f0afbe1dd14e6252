//! A prompt as a dialog on the stack: asks, waits, asks again, ends with the answer.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use sayso_activity::{Activity, Kind, Raw};
use sayso_turn::TimerId;
use serde::Deserialize;
use serde_json::Value;

use super::{
    Check, Choose, Confirm, Deadline, Inbound, Late, Prompt, PromptOptions,
    validate::{BoxValidator, Validator},
};
use crate::{
    choice::ListStyle,
    dialog::{Dialog, DialogContext, DialogTurn, Event, Reason},
    error::{Error, Result},
    json::from_json,
    state::{Instance, Members},
};

/// The name of the event by which a deadline runs out.
pub const DEADLINE: &str = "sayso/deadline";

mod member {
    pub(super) const STATE: &str = "state";
    pub(super) const ATTEMPTS: &str = "attemptCount";
    pub(super) const TIMER: &str = "timer";
}

/// A prompt on the stack.
///
/// The validator decides whether an answer is valid; without one, every recognised answer is. After
/// an invalid one the retry prompt is sent, or the prompt again, unless the validator has sent
/// something itself.
///
/// # Example
/// ```
/// use sayso_dialog::{Check, NumberPrompt};
///
/// let age = NumberPrompt::<u8>::new("age")
///     .validate(|check: &mut Check<'_, u8>| check.value.is_some_and(|age| age >= 18));
/// # drop(age);
/// ```
pub struct PromptDialog<P: Prompt> {
    id: String,
    prompt: P,
    locale: Option<String>,
    validator: Option<BoxValidator<P::Value>>,
}

impl<P: Prompt + Default> PromptDialog<P> {
    /// A prompt of this id.
    #[must_use]
    pub fn new(id: impl Into<String>) -> Self {
        Self::of(id, P::default())
    }
}

impl<P: Prompt> PromptDialog<P> {
    /// A prompt of this id, with its own rendering and recognition.
    #[must_use]
    pub fn of(id: impl Into<String>, prompt: P) -> Self {
        Self { id: id.into(), prompt, locale: None, validator: None }
    }

    /// Reads answers in this locale where neither the prompt's options nor the activity name one.
    #[must_use]
    pub fn locale(mut self, locale: impl Into<String>) -> Self {
        self.locale = Some(locale.into());
        self
    }

    /// Accepts only answers for which this returns `true`. It also decides about what was not
    /// recognized: then `check.value` is `None`, and whoever accepts it sets a value.
    #[must_use]
    pub fn validate(
        mut self,
        is_valid: impl Fn(&mut Check<'_, P::Value>) -> bool + Send + Sync + 'static,
    ) -> Self {
        let id = self.id.clone();
        self.validator = Some(Arc::new(move |mut check| {
            let is_valid = is_valid(&mut check);
            let value = match check.value {
                value @ Some(_) if is_valid => Ok(value),
                None if is_valid => Err(Error::NoValue(id.clone()).into()),
                _ => Ok(None),
            };
            Box::pin(std::future::ready(value))
        }));
        self
    }

    /// Accepts only answers that this async validator returns, perhaps changed.
    #[must_use]
    pub fn validate_with(mut self, validator: impl for<'a> Validator<'a, P::Value>) -> Self {
        self.validator = Some(Arc::new(move |check| validator.check(check)));
        self
    }

    fn options(&self, dc: &DialogContext) -> Result<PromptOptions> {
        let kept = dc.top().map(Instance::options).transpose();
        let kept = kept.map_err(|source| Error::Type {
            what: format!("the options of the prompt `{}`", self.id),
            source,
        })?;
        Ok(kept.flatten().unwrap_or_default())
    }

    /// The options that reading an answer needs. Most prompts need none: their text tells, without
    /// being parsed.
    fn answer_options(&self, dc: &DialogContext) -> Result<PromptOptions> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct AnswerOptions {
            recognize_language: Option<String>,
            validations: Option<Value>,
        }
        let top = dc.top();
        let text = top.and_then(|top| top.options.as_ref()).map(Raw::as_str);
        let is_named = |name| text.is_none_or(|text| text.contains(name));
        if !is_named("recognizeLanguage") && !is_named("validations") {
            return Ok(PromptOptions::default());
        }
        match top.map(Instance::options::<AnswerOptions>).transpose() {
            Ok(found) => Ok(found.flatten().map_or_else(PromptOptions::default, |found| {
                let AnswerOptions { recognize_language, validations } = found;
                PromptOptions { recognize_language, validations, ..PromptOptions::default() }
            })),
            // Without a validator it is only the language that cannot be read.
            Err(_) if self.validator.is_none() => Ok(PromptOptions::default()),
            Err(_) => self.options(dc),
        }
    }

    /// Sends the question, or the question after a wrong answer.
    fn ask(&self, dc: &mut DialogContext, mut options: PromptOptions, is_retry: bool) {
        let retry = options.retry_prompt.take().filter(|_| is_retry);
        let Some(mut asked) = retry.or_else(|| options.prompt.take()) else { return };
        asked.input_hint.get_or_insert_with(|| "expectingInput".to_owned());
        let now = dc.turn().now();
        let language = options.recognize_language.as_deref();
        let turn = dc.turn();
        let inbound = Inbound::new(turn.activity(), language, self.locale.as_deref(), now);
        let question = self.prompt.render(*asked, &options, &inbound);
        turn.send(question);
    }

    /// Sets the timer of the deadline, if there is one.
    fn set_timer(dc: &mut DialogContext, deadline: Option<&Deadline>) {
        let Some(deadline) = deadline else { return };
        let timer = dc.turn().after(deadline.wait(), Activity::event(DEADLINE));
        kept(dc).insert(member::TIMER.to_owned(), timer.as_str().into());
    }

    /// Reports whether this turn's activity is the timer of our deadline.
    fn is_late(dc: &mut DialogContext) -> bool {
        let activity = dc.turn().activity();
        if activity.kind != Kind::Event || activity.name.as_deref() != Some(DEADLINE) {
            return false;
        }
        let id = activity.id.clone();
        let timer = kept(dc).get(member::TIMER).and_then(Value::as_str);
        timer.is_some() && timer == id.as_deref()
    }

    async fn late(&self, dc: &mut DialogContext) -> Result<DialogTurn> {
        drop(kept(dc).remove(member::TIMER));
        let options = self.options(dc)?;
        match options.deadline.as_ref().map(Deadline::late) {
            Some(Late::Default(value)) => dc.end(value.clone()).await,
            Some(Late::Cancel) => dc.cancel_all_for(Event::CANCEL, Value::Null, true).await,
            Some(Late::Remind) => {
                self.ask(dc, options, false);
                Ok(DialogTurn::waiting())
            }
            None => Ok(DialogTurn::waiting()),
        }
    }

    /// Reads the answer, and asks the validator.
    async fn answer(
        &self,
        dc: &mut DialogContext,
        options: &PromptOptions,
    ) -> Result<Option<P::Value>> {
        let attempt = attempts(dc) + 1;
        let turn = dc.turn();
        let language = options.recognize_language.as_deref();
        let inbound = Inbound::new(turn.activity(), language, self.locale.as_deref(), turn.now());
        let value = self.prompt.recognize(&inbound, options);
        match &self.validator {
            None => Ok(value),
            Some(validator) => {
                let validations = options.validations.clone().unwrap_or_default();
                validator(Check { value, attempt, validations, turn }).await
            }
        }
    }
}

impl PromptDialog<Confirm> {
    /// Shows the two choices in this style, where the options of the prompt do not say.
    #[must_use]
    pub fn style(mut self, style: ListStyle) -> Self {
        self.prompt.style = Some(style);
        self
    }
}

impl PromptDialog<Choose> {
    /// Shows the choices in this style, where the options of the prompt do not say.
    #[must_use]
    pub fn style(mut self, style: ListStyle) -> Self {
        self.prompt.style = Some(style);
        self
    }
}

#[async_trait]
impl<P: Prompt> Dialog for PromptDialog<P> {
    fn id(&self) -> &str {
        &self.id
    }

    fn listens(&self) -> bool {
        false
    }

    async fn begin(&self, dc: &mut DialogContext, options: Value) -> Result<DialogTurn> {
        let options = from_json(&options, || format!("the options of the prompt `{}`", self.id))?;
        self.begin_prompt(dc, options).await
    }

    async fn begin_prompt(
        &self,
        dc: &mut DialogContext,
        mut options: PromptOptions,
    ) -> Result<DialogTurn> {
        for asked in [&mut options.prompt, &mut options.retry_prompt].into_iter().flatten() {
            asked.input_hint.get_or_insert_with(|| "expectingInput".to_owned());
        }
        if let Some(top) = dc.top_mut() {
            top.options = Some(Raw::of(&options)?);
            top.state.insert(member::STATE.to_owned(), Members::new().into());
        }
        let deadline = options.deadline.take();
        self.ask(dc, options, false);
        Self::set_timer(dc, deadline.as_ref());
        Ok(DialogTurn::waiting())
    }

    async fn proceed(&self, dc: &mut DialogContext) -> Result<DialogTurn> {
        if Self::is_late(dc) {
            return self.late(dc).await;
        }
        if !self.prompt.takes(dc.turn().activity()) {
            return Ok(DialogTurn::waiting());
        }
        let options = match P::NEEDS_OPTIONS {
            true => self.options(dc)?,
            false => self.answer_options(dc)?,
        };
        let said = dc.turn().replies().len();
        if let Some(value) = self.answer(dc, &options).await? {
            return dc.end(value).await;
        }
        let attempt = attempts(dc) + 1;
        kept(dc).insert(member::ATTEMPTS.to_owned(), attempt.into());
        let is_message = dc.turn().activity().is_message();
        if is_message && dc.turn().replies().len() == said {
            let options = if P::NEEDS_OPTIONS { options } else { self.options(dc)? };
            self.ask(dc, options, true);
        }
        Ok(DialogTurn::waiting())
    }

    async fn resume(&self, dc: &mut DialogContext, _: Reason, _: Value) -> Result<DialogTurn> {
        self.reprompt(dc).await?;
        Ok(DialogTurn::waiting())
    }

    async fn reprompt(&self, dc: &mut DialogContext) -> Result<()> {
        let options = self.options(dc)?;
        self.ask(dc, options, false);
        Ok(())
    }

    async fn ended(&self, dc: &mut DialogContext, instance: &Instance, _: Reason) -> Result<()> {
        let timer = instance.state.get(member::STATE).and_then(|state| state.get(member::TIMER));
        if let Some(timer) = timer {
            let timer: TimerId = from_json(timer, || "the timer of a prompt".to_owned())?;
            dc.turn().cancel(&timer);
        }
        Ok(())
    }
}

/// The state that the prompt keeps beside its options.
fn kept(dc: &mut DialogContext) -> &mut Members {
    let top = dc.top_mut().expect("a prompt is on the stack while it is called");
    let state = top.state.entry(member::STATE).or_insert_with(|| Members::new().into());
    if !state.is_object() {
        *state = Members::new().into();
    }
    state.as_object_mut().expect("set to an object above")
}

/// The number of answers that were refused.
fn attempts(dc: &DialogContext) -> u64 {
    let kept = dc.top().and_then(|top| top.state.get(member::STATE));
    kept.and_then(|kept| kept.get(member::ATTEMPTS)).and_then(Value::as_u64).unwrap_or_default()
}

impl<P: Prompt> fmt::Debug for PromptDialog<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PromptDialog").field("id", &self.id).field("prompt", &self.prompt).finish()
    }
}
