//! Component dialogs: a dialog made of dialogs, with a stack of its own inside.

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use futures_util::future::BoxFuture;
use serde_json::Value;

use crate::{
    changed::{Changed, Restart},
    dialog::{Dialog, DialogContext, DialogSet, DialogTurn, Event, Reason},
    error::{Error, Result},
};

type Interrupt = Arc<
    dyn for<'a> Fn(&'a mut DialogContext) -> BoxFuture<'a, Result<Option<DialogTurn>>>
        + Send
        + Sync,
>;

type Handle =
    Arc<dyn for<'a> Fn(&'a mut DialogContext, Event) -> BoxFuture<'a, Result<bool>> + Send + Sync>;

/// A dialog that holds others: the first one added is begun with it, and it ends when that one
/// does.
///
/// As in the SDKs, whatever inside ends without waiting ends the component, with that result: a
/// cancellation inside is a completion without a result outside.
///
/// # Example
/// ```
/// use sayso_dialog::{ComponentDialog, Step, StepResult, WaterfallDialog};
///
/// async fn hello(step: Step<'_>) -> StepResult {
///     step.end("hello").await
/// }
///
/// let root = ComponentDialog::new("root").with(WaterfallDialog::new("waterfall").step(hello));
/// # drop(root);
/// ```
pub struct ComponentDialog {
    id: String,
    dialogs: Arc<DialogSet>,
    initial: Option<String>,
    interrupt: Option<Interrupt>,
    on_event: Option<Handle>,
}

/// Handler of events inside a component.
///
/// Implemented for every `async fn(&mut DialogContext, Event) -> Result<bool>`.
pub trait EventHandler<'a>: Send + Sync + 'static {
    /// Handles an event; `true` when it needs no more care.
    fn handle(&self, dc: &'a mut DialogContext, event: Event) -> BoxFuture<'a, Result<bool>>;
}

impl<'a, F, Fut> EventHandler<'a> for F
where
    F: Fn(&'a mut DialogContext, Event) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<bool>> + Send + 'a,
{
    fn handle(&self, dc: &'a mut DialogContext, event: Event) -> BoxFuture<'a, Result<bool>> {
        Box::pin(self(dc, event))
    }
}

/// Interruption: looks at a turn before the dialogs inside a component do.
///
/// Implemented for every `async fn(&mut DialogContext) -> Result<Option<DialogTurn>>`.
pub trait Interruption<'a>: Send + Sync + 'static {
    /// Looks at the turn: `Some` ends it, `None` lets the dialogs inside go on.
    fn look(&self, dc: &'a mut DialogContext) -> BoxFuture<'a, Result<Option<DialogTurn>>>;
}

impl<'a, F, Fut> Interruption<'a> for F
where
    F: Fn(&'a mut DialogContext) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Option<DialogTurn>>> + Send + 'a,
{
    fn look(&self, dc: &'a mut DialogContext) -> BoxFuture<'a, Result<Option<DialogTurn>>> {
        Box::pin(self(dc))
    }
}

impl ComponentDialog {
    /// A component without dialogs.
    #[must_use]
    pub fn new(id: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            dialogs: Arc::default(),
            initial: None,
            interrupt: None,
            on_event: None,
        }
    }

    /// Adds a dialog. The first one is where the component begins.
    #[must_use]
    pub fn with(mut self, dialog: impl Dialog) -> Self {
        let dialogs = Arc::make_mut(&mut self.dialogs);
        let id = dialogs.add(dialog);
        if self.initial.is_none() {
            self.initial = Some(id.to_owned());
        }
        self
    }

    /// Begins with another dialog than the first.
    #[must_use]
    pub fn begin_with(mut self, id: impl Into<String>) -> Self {
        self.initial = Some(id.into());
        self
    }

    /// Looks at every turn before the dialogs inside do: the place for `help` and `cancel`.
    ///
    /// # Example
    /// ```
    /// use sayso_dialog::{ComponentDialog, DialogContext, DialogTurn, Result};
    ///
    /// async fn cancel(dc: &mut DialogContext) -> Result<Option<DialogTurn>> {
    ///     if dc.turn().text() != "cancel" {
    ///         return Ok(None);
    ///     }
    ///     dc.turn().say("Cancelled.");
    ///     dc.cancel_all().await.map(Some)
    /// }
    ///
    /// let order = ComponentDialog::new("order").interrupted_by(cancel);
    /// # drop(order);
    /// ```
    #[must_use]
    pub fn interrupted_by(mut self, look: impl for<'a> Interruption<'a>) -> Self {
        self.interrupt = Some(Arc::new(move |dc| look.look(dc)));
        self
    }

    /// Handles events that no dialog inside took care of, on their way out: an error, a change of
    /// version, the author's own.
    ///
    /// # Example
    /// ```
    /// use sayso_dialog::{ComponentDialog, DialogContext, Event, Result};
    ///
    /// async fn changed(dc: &mut DialogContext, event: Event) -> Result<bool> {
    ///     if event.name != Event::CHANGED {
    ///         return Ok(false);
    ///     }
    ///     dc.turn().say("This dialog has been improved.");
    ///     Ok(true)
    /// }
    ///
    /// let order = ComponentDialog::new("order").on_event(changed);
    /// # drop(order);
    /// ```
    #[must_use]
    pub fn on_event(mut self, handler: impl for<'a> EventHandler<'a>) -> Self {
        self.on_event = Some(Arc::new(move |dc, event| handler.handle(dc, event)));
        self
    }

    /// Waits while a dialog inside waits, or ends with its result.
    async fn finish(
        &self,
        dc: &mut DialogContext,
        (depth, height): (usize, usize),
        turn: Result<DialogTurn>,
    ) -> Result<DialogTurn> {
        dc.leave(depth);
        let turn = turn?;
        // Whoever is inside may have cancelled everything around, this component too.
        let is_gone = dc.depth() < depth || dc.stack().len() < height;
        if turn.is_waiting() || is_gone {
            return Ok(turn);
        }
        dc.end(turn.result).await
    }

    /// Checks that the component has not changed since this conversation entered it.
    async fn check_version(&self, dc: &mut DialogContext) -> Result<()> {
        let shape = dc.root().shape();
        let now = self.dialogs.version(shape);
        let Some(top) = dc.top_mut() else { return Ok(()) };
        if top.version.as_deref() == Some(now) {
            return Ok(());
        }
        let before = top.version.replace(now.to_owned());
        if before.is_none() || dc.emit(Event::CHANGED, &self.id, true).await? {
            return Ok(());
        }
        match &*dc.changed {
            Changed::Continue => Ok(()),
            Changed::Fail => Err(Error::Changed { id: self.id.clone() }.into()),
            Changed::Restart(notice) => Err(Restart(notice.clone()).into()),
        }
    }
}

#[async_trait]
impl Dialog for ComponentDialog {
    fn id(&self) -> &str {
        &self.id
    }

    async fn begin(&self, dc: &mut DialogContext, options: Value) -> Result<DialogTurn> {
        let initial = self.initial.as_deref();
        let initial = initial.ok_or_else(|| Error::NoDialogs(self.id.clone()))?;
        self.check_version(dc).await?;
        let place = (dc.depth(), dc.stack().len());
        dc.enter(&self.dialogs);
        let turn = dc.begin(initial, options).await;
        self.finish(dc, place, turn).await
    }

    async fn proceed(&self, dc: &mut DialogContext) -> Result<DialogTurn> {
        self.check_version(dc).await?;
        let place = (dc.depth(), dc.stack().len());
        dc.enter(&self.dialogs);
        let looked = match &self.interrupt {
            Some(look) => look(dc).await,
            None => Ok(None),
        };
        let turn = match looked {
            Ok(Some(turn)) => Ok(turn),
            Ok(None) => dc.proceed().await,
            Err(error) => Err(error),
        };
        self.finish(dc, place, turn).await
    }

    async fn resume(&self, dc: &mut DialogContext, _: Reason, _: Value) -> Result<DialogTurn> {
        // Something was above it and is gone: what waits inside asks again.
        self.reprompt(dc).await?;
        Ok(DialogTurn::waiting())
    }

    async fn reprompt(&self, dc: &mut DialogContext) -> Result<()> {
        let depth = dc.depth();
        dc.enter(&self.dialogs);
        let asked = dc.reprompt().await;
        dc.leave(depth);
        asked
    }

    fn listens(&self) -> bool {
        self.on_event.is_some()
    }

    async fn on_event(&self, dc: &mut DialogContext, event: &Event) -> Result<bool> {
        match &self.on_event {
            Some(handle) => handle(dc, event.clone()).await,
            None => Ok(false),
        }
    }

    fn inside(&self) -> Option<&Arc<DialogSet>> {
        Some(&self.dialogs)
    }
}

impl fmt::Debug for ComponentDialog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ids: Vec<&str> = self.dialogs.ids().collect();
        f.debug_struct("ComponentDialog").field("id", &self.id).field("dialogs", &ids).finish()
    }
}
