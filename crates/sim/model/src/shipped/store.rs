//! The store and all processes together: the effect of a write on every instance.

use super::{Doc, Instance, Rules, Stage, State, Take};
use crate::seq::Set;

impl State {
    /// One of the processes.
    #[must_use]
    pub fn instance(&self, at: u8) -> &Instance {
        self.instances.get(usize::from(at)).expect("the instance is within the bound")
    }

    /// One of the processes, to change it.
    pub fn instance_mut(&mut self, at: u8) -> &mut Instance {
        self.instances.get_mut(usize::from(at)).expect("the instance is within the bound")
    }

    /// Place of the process of this name, if it lives and delivers the outbox.
    #[must_use]
    pub fn minder(&self, name: u8) -> Option<u8> {
        let minds = |known: &Instance| known.name == name && !known.outbox.is_empty();
        (0..).zip(&self.instances).find(|(_, known)| minds(known)).map(|(at, _)| at)
    }

    /// Stores a document. Saves that others have prepared or sent off cannot succeed any more.
    pub fn write(&mut self, doc: Doc, by: u8) {
        let is_claim_moved = doc.claim != self.doc.claim || doc.is_claimed_by(by);
        self.doc = doc;
        self.late.clear();
        for instance in &mut self.instances {
            if let Some((_, is_current)) = &mut instance.cache {
                *is_current = false;
            }
            if let (Some(foreign), true) = (&mut instance.foreign, is_claim_moved) {
                foreign.is_superseded = true;
            }
            let Some(work) = &mut instance.work else { continue };
            match &mut work.take {
                Some(Take::IfAt) => work.take = None,
                Some(Take::From(foreign)) => foreign.is_superseded |= is_claim_moved,
                None => {}
            }
            if matches!(work.stage, Stage::Save(_)) {
                work.stage = Stage::Reload;
            }
        }
    }
    /// Normalizes the state: states that can only go on in the same ways become equal.
    pub fn tidy(&mut self, rules: Rules) {
        for instance in &mut self.instances {
            // A mailbox, and what it knows, exists only while there is something to do.
            let open = instance.outbox.without(instance.handed).iter().collect();
            instance.doubtful = instance.doubtful.both(open);
            instance.is_lapsed &= !instance.outbox.is_empty();
            instance.is_proven &= !instance.outbox.is_empty();
            let Some(work) = &mut instance.work else { continue };
            if work.stage == Stage::Reload {
                instance.cache = None;
            }
            if let (Some(Take::From(foreign)), false) = (work.take, rules.is_claim_reused)
                && foreign.is_superseded
            {
                work.take = None;
            }
        }
        // What nobody can send any more needs no book-keeping.
        let mut open: Set = self.doc.outbox.iter().collect();
        for instance in &self.instances {
            open = instance.outbox.iter().collect::<Set>().either(open);
            if let Some((reply, _)) = instance.sending {
                open.insert(reply);
            }
        }
        let [unmarked, marked] = self.strays;
        self.world.unmarked = self.world.unmarked.both(open.either(unmarked).either(marked));
        // It makes no difference when a repeat arrives.
        for (strays, is_marked) in self.strays.iter_mut().zip([false, true]) {
            let visible = self.world.visible;
            for reply in strays.iter().filter(|reply| visible.contains(*reply)) {
                strays.remove(reply);
                self.world.arrive(reply, is_marked, rules.is_keyed);
            }
        }
    }
}
