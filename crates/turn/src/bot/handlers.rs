//! Handlers of a bot in the order in which they were added, and dispatch to the first that matches.

use std::{fmt, panic::Location, sync::Arc};

use futures_util::future::BoxFuture;
use sayso_activity::Activity;

use super::trigger::Trigger;
use crate::{bot_error::BotError, turn::Turn};

/// Type-erased handler.
pub(super) type Handler =
    Arc<dyn Fn(Turn) -> BoxFuture<'static, Result<(), BotError>> + Send + Sync>;

/// Handlers with their triggers, in order.
#[derive(Clone, Default)]
pub(super) struct Handlers {
    list: Vec<(Trigger, Handler)>,
    /// The lines of the bot's code that added them.
    places: Vec<&'static Location<'static>>,
    /// Mistakes that only the one who added a handler could see.
    mistakes: Vec<String>,
}

impl Handlers {
    /// Adds a handler behind the others.
    #[track_caller]
    pub(super) fn push(&mut self, trigger: Trigger, handler: Handler) {
        self.list.push((trigger, handler));
        self.places.push(Location::caller());
    }

    /// Adds a mistake.
    pub(super) fn push_mistake(&mut self, mistake: String) {
        self.mistakes.push(mistake);
    }

    /// Returns all mistakes, a sentence each.
    pub(super) fn mistakes(&self) -> Vec<String> {
        let all = || self.list.iter().zip(&self.places);
        let shadowed = all().enumerate().filter_map(|(at, ((trigger, _), place))| {
            let ((first, _), before) = all().take(at).find(|((old, _), _)| old.covers(trigger))?;
            let cure = match first == trigger {
                true => "let one handler decide, by `turn.text()` for example, or remove one",
                false => "add the specific one before the general one",
            };
            Some(format!(
                "the handler of {trigger} at {place} would never run, because the one of {first} \
                 at {before} takes all of these: {cure}"
            ))
        });
        self.mistakes.iter().cloned().chain(shadowed).collect()
    }

    /// Reports whether any handler matches the activity.
    pub(super) fn handles(&self, activity: &Activity) -> bool {
        self.find(activity).is_some()
    }

    /// Returns the first handler that matches; one for anything only when no other does.
    fn find(&self, activity: &Activity) -> Option<&(Trigger, Handler)> {
        let fits = |(trigger, _): &&(Trigger, Handler)| trigger.fits(activity);
        let any = |(trigger, _): &&(Trigger, Handler)| matches!(trigger, Trigger::Any);
        self.list.iter().find(fits).or_else(|| self.list.iter().find(any))
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
            let mut handlers = self.list.iter();
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
        f.debug_list().entries(self.list.iter().map(|(trigger, _)| trigger)).finish()
    }
}
