//! Handlers of a bot in the order in which they were added, and dispatch to the first that matches.

use std::{fmt, sync::Arc};

use futures_util::future::BoxFuture;
use sayso_activity::Activity;

use super::trigger::Trigger;
use crate::{bot_error::BotError, turn::Turn};

/// Type-erased handler.
pub(super) type Handler =
    Arc<dyn Fn(Turn) -> BoxFuture<'static, Result<(), BotError>> + Send + Sync>;

/// Handlers with their triggers, in order.
#[derive(Clone, Default)]
pub(super) struct Handlers(Vec<(Trigger, Handler)>);

impl Handlers {
    /// Adds a handler behind the others.
    pub(super) fn push(&mut self, trigger: Trigger, handler: Handler) {
        self.0.push((trigger, handler));
    }

    /// Reports whether any handler matches the activity.
    pub(super) fn handles(&self, activity: &Activity) -> bool {
        self.find(activity).is_some()
    }

    /// Returns the first handler that matches; one for anything only when no other does.
    fn find(&self, activity: &Activity) -> Option<&(Trigger, Handler)> {
        let fits = |(trigger, _): &&(Trigger, Handler)| trigger.fits(activity);
        let any = |(trigger, _): &&(Trigger, Handler)| matches!(trigger, Trigger::Any);
        self.0.iter().find(fits).or_else(|| self.0.iter().find(any))
    }

    /// Runs the handler of an activity.
    pub(super) fn dispatch(&self, turn: Turn) -> BoxFuture<'static, Result<(), BotError>> {
        match self.find(turn.activity()) {
            Some((Trigger::ReactionsAdded | Trigger::ReactionsRemoved, _)) => self.react(turn),
            Some((_, handler)) => handler(turn),
            None => Box::pin(async { Ok(()) }),
        }
    }

    /// Runs the handler of added reactions, then that of removed ones: the only activity that two
    /// handlers may see.
    fn react(&self, mut turn: Turn) -> BoxFuture<'static, Result<(), BotError>> {
        let first = |is_sort: fn(&Trigger) -> bool| {
            let mut handlers = self.0.iter();
            let found = handlers.find(|(sort, _)| is_sort(sort) && sort.fits(turn.activity()));
            found.map(|(_, handler)| Arc::clone(handler))
        };
        let added = first(|sort| matches!(sort, Trigger::ReactionsAdded));
        let removed = first(|sort| matches!(sort, Trigger::ReactionsRemoved));
        Box::pin(async move {
            for handler in [added, removed].into_iter().flatten() {
                turn.lend(|turn| handler(turn)).await?;
            }
            Ok(())
        })
    }
}

impl fmt::Debug for Handlers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(trigger, _)| trigger)).finish()
    }
}
