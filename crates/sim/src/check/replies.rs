//! Checks of replies (I6, I7): each is visible or parked, and first appearances are in commit
//! order.

use std::{collections::BTreeSet, sync::Arc};

use sayso_activity::Activity;
use sayso_turn::{
    DeliveryPolicy, OnDoubt,
    document::{Parked, ParkedKind},
};

use super::case::Case;
use crate::{Fault, outages::UNREADABLE, text::plain, world::DELETION};

pub(super) fn check(case: &Case<'_>, broken: &mut Vec<String>) {
    let (world, key) = (case.world, case.key);
    let parked = parked(case);
    let expected = expected(case);
    let sorry = case.wishes.values().filter(|(wish, said)| wish.panic && !said.is_answer);
    let sorry: Vec<String> = sorry.map(|(wish, _)| format!("{}/sorry/0", wish.id)).collect();
    let seen = world.seen();
    let visible = seen.visible.get(key).map(Vec::as_slice).unwrap_or_default();
    let texts: BTreeSet<&str> = visible.iter().map(|(_, text)| text.as_str()).collect();
    let kept = case.document.ledger.parked.len();
    let is_full = kept >= world.plan.limits().parked_max || world.plan.has(Fault::Bulk);
    // What was parked may be forgotten with its document, or to make room.
    let may_be_gone = is_full || world.plan.has(Fault::ShortLived);
    for text in expected.iter().chain(&sorry) {
        // A change of a message without a name is refused before the channel hears of it.
        let is_change = text.ends_with("/change");
        // So is one that is not worth sending, or may have arrived.
        let is_withheld = || seen.policies.of(text) != DeliveryPolicy::default();
        let is_refused =
            may_be_gone && (is_change || is_withheld() || seen.refused_texts.contains(text));
        if !texts.contains(text.as_str()) && !parked.contains(text) && !is_refused {
            broken.push(format!("I6: reply {text} of {key} is neither visible nor parked"));
        }
    }
    let mut shown = BTreeSet::new();
    let firsts = visible.iter().filter(|(id, _)| shown.insert(id.as_str()));
    let is_ordered = |text: &&str| {
        !text.contains("sorry") && !text.starts_with(DELETION) && !seen.late.contains(*text)
    };
    let order: Vec<&str> = firsts.map(|(_, text)| text.as_str()).filter(is_ordered).collect();
    // A turn that ran again in a later life of its document says the same again.
    let mut is_told = BTreeSet::new();
    let wanted = expected.iter().map(String::as_str);
    let wanted: Vec<&str> =
        wanted.filter(|text| order.contains(text) && is_told.insert(*text)).collect();
    if order != wanted {
        broken.push(format!("I7: replies of {key} came as {order:?} instead of {wanted:?}"));
    }
    let failed =
        case.wishes.values().filter(|(wish, _)| wish.fails > 0 && case.is_applied(&wish.id));
    for (wish, _) in failed {
        if texts.contains(format!("{}/sorry/0", wish.id).as_str()) {
            broken.push(format!("timer {} succeeds, and the bot is sorry before", wish.id));
        }
    }
}

/// No reply is given up without a try, but one that is not worth sending any more, or that an
/// instance may have tried which is gone, where it may not come twice.
pub(super) fn given_up(case: &Case<'_>, broken: &mut Vec<String>) {
    let world = case.world;
    let seen = world.seen();
    let fired = world.chance.tally.counts();
    let can_tell = fired.keys().all(|fault| fault.is_harmless());
    for parked in &case.document.ledger.parked {
        let is_reply = parked.kind == ParkedKind::Reply && !seen.tried.contains(parked.id.as_str());
        let Some(text) = parked.activity.get::<Activity>().ok().and_then(|a| a.text) else {
            continue;
        };
        // A change of a message without a name cannot be tried.
        if !is_reply || text.ends_with("/change") {
            continue;
        }
        let text = plain(&text);
        let policy = seen.policies.of(&text);
        let is_excused =
            policy.expires.is_some() || (policy.on_doubt == OnDoubt::Once && !can_tell);
        if !is_excused {
            broken.push(format!("P3: {text} is given up untried: {}", parked.reason));
        }
    }
    if let Some(count) = seen.unreadable.get(case.key) {
        let is_it = |parked: &&Arc<Parked>| parked.activity.as_str() == UNREADABLE;
        let found = case.document.ledger.parked.iter().filter(is_it).count();
        let most = world.plan.limits().parked_max;
        let may_be_gone = world.plan.has(Fault::ShortLived)
            || world.plan.has(Fault::Bulk)
            || case.document.ledger.parked.len() >= most;
        if found != *count && !may_be_gone {
            broken.push(format!("I9: {found} of {count} lines of {} are parked", case.key));
        }
    }
}

/// Reports whether a turn may have failed although it was acknowledged: a store that refused it for
/// good cannot be told from one that will take it later. The user must have heard of it.
pub(super) fn is_excused(case: &Case<'_>, id: &str) -> bool {
    let world = case.world;
    let sorry = format!("{id}/sorry/0");
    let is_answer = case.wishes.get(id).is_some_and(|(_, said)| said.is_answer);
    let is_sorry = || {
        let seen = world.seen();
        // The apology may be the answer.
        if is_answer && seen.acked.get(id).is_some_and(|answer| answer.contains(&sorry)) {
            return true;
        }
        // Or it was, and has been forgotten: of so many answers few are kept.
        let has_many = world.plan.has(Fault::Bulk) || world.plan.has(Fault::Burst);
        if is_answer && has_many && seen.acked.contains_key(id) {
            return true;
        }
        // One that was not worth sending any more is parked, and forgotten with its document.
        let is_withheld = seen.policies.of(&sorry) != DeliveryPolicy::default();
        if is_withheld && world.plan.has(Fault::ShortLived) {
            return true;
        }
        let visible = seen.visible.get(case.key).map(Vec::as_slice).unwrap_or_default();
        visible.iter().any(|(_, text)| *text == sorry)
            || seen.refused_texts.contains(&sorry)
            || (world.plan.has(Fault::Policy) && parked(case).contains(&sorry))
    };
    // So does a limit: replies that wait for their channel may leave no room. And who was frozen
    // while it ran took too long.
    let causes =
        [Fault::StoreRefuses, Fault::Bulk, Fault::Freeze, Fault::Suspend, Fault::FewTimers];
    causes.iter().any(|fault| world.plan.has(*fault)) && is_sorry()
}

/// Texts that the turns of all logs say, in their order.
fn expected(case: &Case<'_>) -> Vec<String> {
    let policies = &case.world.seen().policies;
    let mut expected = Vec::new();
    let mut known = BTreeSet::new();
    for log in &case.logs {
        let mut has_kept = false;
        for (place, id) in log.iter().enumerate() {
            let Some((wish, said)) = case.wishes.get(id.as_str()) else { continue };
            // The replies of a timer go to the channel, whatever its turn did with its own.
            let is_answer = said.is_answer && *id == said.id;
            // One that ran again because it was forgotten has said it before, if it was worth
            // saying.
            let is_new = known.insert(id.as_str());
            let texts = (0..wish.replies).map(|index| format!("{id}/{place}/{index}"));
            let is_said = |text: &String| is_new || policies.of(text) != DeliveryPolicy::default();
            expected.extend(texts.filter(is_said).filter(|_| !is_answer));
            if wish.change {
                if has_kept && !wish.delete {
                    expected.push(format!("{id}/{place}/change"));
                }
                has_kept |= !is_answer && wish.replies > 0;
            }
        }
    }
    expected
}

/// Texts of the parked replies of a conversation.
fn parked(case: &Case<'_>) -> BTreeSet<String> {
    let parked = case.document.ledger.parked.iter();
    let texts = parked.filter_map(|parked| parked.activity.get::<Activity>().ok()?.text);
    texts.map(|text| plain(&text)).collect()
}
