//! The bot under test, with an exact history: every turn appends the ids of its wishes to the
//! state, so one read at the end gives the order of everything.

mod builds;
mod inward;
mod lifetimes;
mod resets;
mod steps;
mod wish;

use std::{sync::Arc, time::Duration};

use sayso_activity::{Activity, Kind};
use sayso_turn::{Bot, BotError, Failure, Key, MessageId, Turn};

pub(crate) use self::{
    builds::items,
    inward::SLOW_KEY,
    lifetimes::{DECLARED_MAX, OwnTtl, declared, visits, visits_key},
    resets::since_reset,
    steps::key_of,
    wish::{Later, Note, Pair, Policy, Sight, Wish},
};
use crate::{Plan, outside::Outside, tenancy};

/// A state with this property counts as larger than the store takes.
const OVERSIZED: &str = "too_large";
/// Length of a bulky reply.
const BULKY_REPLY: usize = 8 * 1024;
/// Length of a bulky answer to an `invoke`.
const BULKY_ANSWER: usize = 32 * 1024;

/// The bot, as one life of an instance runs it.
pub(crate) fn bot(plan: &Plan, outside: &Outside) -> Bot {
    let append = || {
        let outside = outside.clone();
        move |turn| append(turn, outside.clone())
    };
    let sorry = {
        let outside = outside.clone();
        move |turn, failure: Arc<Failure>| {
            let said = sorry(turn, &failure, &outside);
            async move { said }
        }
    };
    Bot::new()
        .on_message(append())
        .on_invoke("append", append())
        .on_event("append", append())
        .on_event("timer", append())
        .on_error(sorry)
        .overlap(plan.overlap)
        .delivery(plan.delivery())
        .keys(tenancy::keys(plan, outside.bot))
}

/// The keys of the two documents that belong together.
pub(crate) fn pair_keys() -> [Key; 2] {
    ["pair/first", "pair/second"].map(|key| Key::new(key).expect("a short key"))
}

async fn append(turn: Turn, outside: Outside) -> Result<(), BotError> {
    let wishes = Wish::all(turn.activity())?;
    fulfil(turn, outside, wishes).await
}

/// Does what is wished for, one after the other.
pub(crate) async fn fulfil(
    mut turn: Turn,
    outside: Outside,
    wishes: Vec<Wish>,
) -> Result<(), BotError> {
    tenancy::is_own(&outside.world, outside.bot, turn.state().key());
    for wish in &wishes {
        prepare(&turn, &outside, wish).await?;
        if wish.gives_up {
            inward::give_up(&mut turn, &outside).await;
        }
        if wish.inward {
            inward::wait_for_itself(&turn, &outside).await;
        }
        let place = change_documents(&mut turn, &outside, wish).await?;
        speak(&mut turn, &outside, wish, place).await?;
        set_timers(&mut turn, wish, place)?;
        if turn.activity().kind == Kind::Invoke {
            let padding = if wish.bulk { "x".repeat(BULKY_ANSWER) } else { String::new() };
            turn.respond(200, &(place, padding))?;
        }
    }
    Ok(())
}

/// Preliminaries, before any state is touched: waiting, failing, calls to the outside.
async fn prepare(turn: &Turn, outside: &Outside, wish: &Wish) -> Result<(), BotError> {
    if let Some(wait) = wish.slow_ms {
        outside.world.executor.sleep(Duration::from_millis(wait)).await;
    }
    if wish.panic {
        // A panic without the hook: nobody wants to read a million backtraces.
        std::panic::resume_unwind(Box::new("the bot was asked to panic"));
    }
    for _ in 0..wish.calls {
        let call = |key| async move {
            outside.call(&key, &wish.id).await;
            Ok::<_, BotError>(())
        };
        turn.once(&wish.id, call).await?;
    }
    steps::take(turn, outside, wish).await?;
    if wish.fails > 0 && outside.fails(&wish.id, wish.fails) {
        return Err("the bot was asked to fail".into());
    }
    Ok(())
}

/// Changes all documents that the wish names. Gives its place in the log.
async fn change_documents(
    turn: &mut Turn,
    outside: &Outside,
    wish: &Wish,
) -> Result<usize, BotError> {
    let id = &wish.id;
    if wish.oversized {
        *turn.state().named::<bool>(OVERSIZED)? = true;
    }
    if wish.order {
        builds::append(turn, outside.is_new, id)?;
    }
    let log = turn.state().named::<Vec<String>>("log")?;
    log.push(id.clone());
    let place = log.len() - 1;
    resets::append(turn, outside, id)?;
    if wish.user {
        turn.user_state().await?.named::<Vec<String>>("log")?.push(id.clone());
    }
    if wish.visit {
        lifetimes::visit(turn, id).await?;
    }
    if let Some(ttl) = wish.ttl {
        outside.world.history().own_ttls.insert(id.clone(), ttl);
        ttl.set(turn.state());
        if wish.user {
            ttl.set(turn.user_state().await?);
        }
    }
    let [first, second] = pair_keys();
    match wish.pair {
        None => {}
        Some(Pair::Write) => {
            *turn.custom(first).await?.named::<u64>("count")? += 1;
            *turn.custom(second).await?.named::<u64>("count")? += 1;
        }
        Some(Pair::Read) => {
            let first = *turn.custom(first).await?.named::<u64>("count")?;
            outside.sleep(50).await;
            let second = *turn.custom(second).await?.named::<u64>("count")?;
            let sight = Sight { wish: id.clone(), first, second };
            turn.state().named::<Vec<Sight>>("sights")?.push(sight);
        }
    }
    Ok(place)
}

/// Says what is wished for, and changes what was said before.
async fn speak(
    turn: &mut Turn,
    outside: &Outside,
    wish: &Wish,
    place: usize,
) -> Result<(), BotError> {
    let id = &wish.id;
    let padding = if wish.bulk { "x".repeat(BULKY_REPLY) } else { String::new() };
    let mut said: Vec<MessageId> = Vec::with_capacity(wish.replies);
    for index in 0..wish.replies {
        let text = format!("{id}/{place}/{index}{padding}");
        let policy = wish.policy.map(Policy::delivery);
        outside.world.promise(&text, policy);
        let message = if wish.stream && index == 0 {
            let stream = turn.stream();
            stream.inform("one moment");
            stream.push(&text);
            turn.finish(stream).await
        } else {
            turn.say(text)
        };
        if let Some(policy) = policy {
            turn.set_delivery(&message, policy);
        }
        said.push(message);
    }
    if wish.change {
        let kept = turn.state().named::<Option<MessageId>>("message")?.clone();
        if let (Some(message), true) = (&kept, wish.delete) {
            turn.delete(message);
        } else if let Some(message) = kept {
            let text = format!("{id}/{place}/change");
            outside.world.promise(&text, None);
            turn.update(&message, Activity::message(text));
        }
        // What goes into the answer has no name at the channel.
        if let (Some(first), None) = (said.into_iter().next(), &turn.activity().delivery_mode) {
            *turn.state().named("message")? = Some(first);
        }
    }
    Ok(())
}

/// Sets timers, and cancels some: its own when the next one is set, an earlier one at last.
fn set_timers(turn: &mut Turn, wish: &Wish, place: usize) -> Result<(), BotError> {
    let mut cancelled = None;
    for later in &wish.timers {
        let event = Activity::event("timer").with_value(&later.wish)?;
        let timer = turn.after(Duration::from_millis(later.after_ms), event);
        let before = later.is_cancelled.then(|| timer.clone());
        if let Some(timer) = std::mem::replace(&mut cancelled, before) {
            turn.cancel(&timer);
        }
        let cancelled_at = later.is_cancelled.then_some(place);
        let note = Note { wish: later.wish.id.clone(), timer, cancelled_at };
        turn.state().named::<Vec<Note>>("timers")?.push(note);
    }
    if let Some(timer) = cancelled {
        turn.cancel(&timer);
    }
    if let Some(nth) = wish.cancel {
        let notes = turn.state().named::<Vec<Note>>("timers")?;
        let at = nth % notes.len().max(1);
        if let Some(note) = notes.get_mut(at).filter(|note| note.cancelled_at.is_none()) {
            note.cancelled_at = Some(place);
            let timer = note.timer.clone();
            turn.cancel(&timer);
        }
    }
    Ok(())
}

fn sorry(mut turn: Turn, failure: &Failure, outside: &Outside) -> Result<(), BotError> {
    let wishes = Wish::all(turn.activity())?;
    if let Failure::Limit { limit: "timers_max", .. } = failure {
        has_no_room(&mut turn, outside, &wishes)?;
    }
    for Wish { id, reset, .. } in &wishes {
        if *reset {
            resets::reset(&mut turn);
        }
        outside.world.tell(|| format!("instance {}: sorry for {id}: {failure}", outside.life));
        let text = format!("{id}/sorry/0");
        outside.world.promise(&text, None);
        turn.say(text);
    }
    Ok(())
}

/// A turn is refused because of its timers: there must be too many of them. What was set and
/// neither cancelled nor seen in the log may have fired without a trace, so there are no more than
/// these.
fn has_no_room(turn: &mut Turn, outside: &Outside, wishes: &[Wish]) -> Result<(), BotError> {
    let log = turn.state().named::<Vec<String>>("log")?.clone();
    let notes = turn.state().named::<Vec<Note>>("timers")?;
    let is_left = |note: &Note| note.cancelled_at.is_none() && !log.contains(&note.wish);
    let new = wishes.iter().flat_map(|wish| &wish.timers).map(|later| !later.is_cancelled);
    let mut all: Vec<bool> = notes.iter().map(is_left).chain(new).collect();
    let count = all.len().max(1);
    for nth in wishes.iter().filter_map(|wish| wish.cancel) {
        if let Some(is_left) = all.get_mut(nth % count) {
            *is_left = false;
        }
    }
    let left = all.into_iter().filter(|is_left| *is_left).count();
    let most = outside.world.plan.limits().timers_max;
    if left <= most {
        outside.world.violation(format!("P8: {left} timers are too many, of {most}"));
    }
    Ok(())
}
