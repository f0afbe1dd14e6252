//! Replies of an attempt.

use std::sync::Arc;

use sayso_activity::Activity;

use crate::{
    delivery_policy::DeliveryPolicy,
    id::TurnId,
    message_id::{KeptIds, MessageId},
};

/// Replies in order. Each keeps its number when an earlier one is removed, because ids contain the
/// number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Replies {
    list: Vec<Arc<Activity>>,
    /// Numbers of removed replies, ascending.
    removed: Vec<usize>,
    /// Number of replies dropped because of the limit.
    pub(crate) over: usize,
    kept: Option<Arc<KeptIds>>,
    /// Delivery policies of single replies, by number.
    policies: Vec<(usize, DeliveryPolicy)>,
}

/// A reply of a finished attempt.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) number: usize,
    pub(crate) activity: Arc<Activity>,
    /// True if its id was serialised or displayed, so that the channel's id must be kept.
    pub(crate) is_kept: bool,
    /// Its own delivery policy, if any.
    pub(crate) delivery: Option<DeliveryPolicy>,
}

impl Replies {
    pub(crate) fn as_slice(&self) -> &[Arc<Activity>] {
        &self.list
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    pub(crate) fn push(&mut self, turn: TurnId, activity: Arc<Activity>) -> MessageId {
        let number = self.list.len() + self.removed.len();
        self.list.push(activity);
        MessageId::ours(turn, number, self.kept.get_or_insert_default())
    }

    /// Returns the reply with a number, unless it was removed.
    pub(crate) fn get_mut(&mut self, number: usize) -> Option<&mut Activity> {
        let at = self.position(number)?;
        self.list.get_mut(at).map(Arc::make_mut)
    }

    /// Removes a reply.
    pub(crate) fn remove(&mut self, number: usize) {
        let Some(at) = self.position(number).filter(|at| *at < self.list.len()) else { return };
        drop(self.list.remove(at));
        let place = self.removed.partition_point(|removed| *removed < number);
        self.removed.insert(place, number);
    }

    /// Sets the delivery policy of a reply.
    pub(crate) fn set_delivery(&mut self, number: usize, policy: DeliveryPolicy) {
        self.policies.push((number, policy));
    }

    fn position(&self, number: usize) -> Option<usize> {
        match self.removed.binary_search(&number) {
            Ok(_) => None,
            Err(before) => Some(number - before),
        }
    }

    pub(crate) fn into_activities(self) -> Vec<Activity> {
        self.list.into_iter().map(Arc::unwrap_or_clone).collect()
    }

    pub(crate) fn into_replies(self) -> impl Iterator<Item = Reply> {
        let Self { list, removed, kept, policies, .. } = self;
        let numbers = (0..).filter(move |number| removed.binary_search(number).is_err());
        numbers.zip(list).map(move |(number, activity)| {
            let is_kept = kept.as_ref().is_some_and(|kept| kept.contains(number));
            let own = policies.iter().rfind(|(of, _)| *of == number);
            Reply { number, activity, is_kept, delivery: own.map(|(_, policy)| *policy) }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Key;

    #[test]
    fn numbers_stay_when_others_are_taken_back() {
        let turn = TurnId::new(&Key::new("c").unwrap(), "1");
        let mut replies = Replies::default();
        for text in ["a", "b", "c", "d"] {
            replies.push(turn, Arc::new(Activity::message(text)));
        }
        for number in [2, 0, 0, 9] {
            replies.remove(number);
        }
        assert_eq!(replies.push(turn, Arc::new(Activity::message("e"))).number_in(turn), Some(4));
        assert_eq!(replies.get_mut(3).unwrap().text(), "d");
        assert!(replies.get_mut(2).is_none() && replies.get_mut(5).is_none());
        let left: Vec<_> = replies.into_replies().map(|reply| reply.number).collect();
        assert_eq!(left, [1, 3, 4]);
    }
}
