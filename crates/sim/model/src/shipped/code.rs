//! Symmetry reduction: a code for states that is the same for symmetric states.
//!
//! Instances are interchangeable, and so are activities: a state and its mirror image go on in the
//! same ways, so that one of them is enough. The code is the smallest of those of all mirror
//! images; the search knows states by it. Dead processes are interchangeable as well: nothing asks
//! which one it was.

use std::hash::{Hash, Hasher};

use super::{Claim, Doc, Foreign, Instance, Stage, State, Take};
use crate::{
    seq::{Seq, Set},
    world::ACTIVITIES_MAX,
};

/// The label of a process that died.
const DEAD: u8 = 15;

/// Upper bound of the length of a code within the bounds that can be searched.
const BYTES: usize = 128;

impl Hash for State {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let mut least = Code::of(self, false, [0, 1, 2]);
        for (is_turned, order) in [(false, [1, 0, 2]), (true, [0, 1, 2]), (true, [1, 0, 2])] {
            let code = Code::of(self, is_turned, order);
            if code.bytes < least.bytes {
                least = code;
            }
        }
        hasher.write(least.bytes.get(..least.len).unwrap_or(&least.bytes));
    }
}

/// Code of a mirror image, while it is built.
struct Code {
    bytes: [u8; BYTES],
    len: usize,
    /// The new number of each activity.
    order: [u8; ACTIVITIES_MAX],
    /// The names of the instances in their new order.
    names: [u8; 2],
}

impl Code {
    fn of(state: &State, is_turned: bool, order: [u8; ACTIVITIES_MAX]) -> Self {
        let mut code = Self { bytes: [0; BYTES], len: 0, order, names: [DEAD; 2] };
        match state.instances.as_slice() {
            [first, second] => {
                let pair = if is_turned { [second, first] } else { [first, second] };
                code.names = pair.map(|instance| instance.name);
                code.doc(&state.doc);
                pair.into_iter().for_each(|instance| code.instance(instance));
            }
            // More than two keep their order and their names.
            others => {
                code.doc(&state.doc);
                others.iter().for_each(|instance| code.instance(instance));
            }
        }
        for (doc, by) in &state.late {
            code.doc(doc);
            code.name(*by);
        }
        code.put(0xfe);
        state.strays.into_iter().for_each(|strays| code.set(strays));
        let world = &state.world;
        let mut left = [0; ACTIVITIES_MAX];
        for (count, activity) in world.left.iter().zip(0..) {
            if let Some(left) = left.get_mut(usize::from(code.activity(activity))) {
                *left = *count;
            }
        }
        left.into_iter().for_each(|left| code.put(left));
        code.set(world.acked);
        code.list(world.visible);
        code.set(world.unmarked);
        code.flags([
            world.is_acked_early,
            world.is_repeated,
            world.is_unmarked_twice,
            world.is_spinning,
        ]);
        [world.crashes, world.faults, world.expiries].into_iter().for_each(|count| code.put(count));
        code
    }

    fn put(&mut self, byte: u8) {
        *self.bytes.get_mut(self.len).expect("the bound is too large for the code") = byte;
        self.len += 1;
    }

    fn flags(&mut self, flags: [bool; 4]) {
        self.put(flags.into_iter().fold(0, |byte, flag| byte << 1 | u8::from(flag)));
    }

    fn activity(&self, activity: u8) -> u8 {
        self.order.get(usize::from(activity)).copied().unwrap_or(activity)
    }

    fn name(&mut self, name: u8) {
        let label = (0..).zip(self.names).find(|(_, known)| *known == name);
        // Where there are more than two instances, names stay.
        let label = if self.names == [DEAD; 2] { Some((name, name)) } else { label };
        self.put(label.map_or(DEAD, |(label, _)| label));
    }

    fn list(&mut self, list: Seq) {
        let code = list.code(&self.order);
        let [first, second, ..] = code.to_le_bytes();
        assert!(code < 1 << 16, "a list is too long for the code");
        self.put(first);
        self.put(second);
    }

    fn set(&mut self, set: Set) {
        self.put(set.code(&self.order));
    }

    fn claim(&mut self, claim: Claim) {
        self.name(claim.by);
        self.put(claim.beat);
    }

    fn doc(&mut self, doc: &Doc) {
        self.list(doc.applied);
        self.list(doc.outbox);
        match doc.claim {
            Some(claim) => self.claim(claim),
            None => self.put(0xff),
        }
        self.set(doc.taken);
    }

    fn foreign(&mut self, foreign: Foreign) {
        self.claim(foreign.claim);
        self.put(foreign.is_superseded.into());
    }

    fn instance(&mut self, instance: &Instance) {
        let Instance { work, cache, outbox, handed, doubtful, foreign, sending, .. } = instance;
        if let Some(work) = work {
            self.put(1);
            self.list(work.batch);
            self.flags([work.is_errand, work.is_renewal, work.take.is_some(), false]);
            match work.take {
                Some(Take::From(foreign)) => self.foreign(foreign),
                Some(Take::IfAt) => self.put(0xff),
                None => {}
            }
            match &work.stage {
                Stage::Save(draft) => {
                    self.put(2);
                    self.doc(&draft.doc);
                    self.set(draft.taken);
                }
                Stage::Reload => self.put(1),
                Stage::Unsure => self.put(0),
            }
        }
        self.put(0xff);
        match cache {
            // The stored document is in the code already.
            Some((_, true)) => self.put(0xfe),
            Some((doc, false)) => self.doc(doc),
            None => self.put(0xff),
        }
        self.list(*outbox);
        self.set(*handed);
        self.set(*doubtful);
        match foreign {
            Some(foreign) => self.foreign(*foreign),
            None => self.put(0xff),
        }
        match *sending {
            Some((reply, is_marked)) => {
                self.put(self.activity(reply));
                self.put(is_marked.into());
            }
            None => self.put(0xff),
        }
        self.flags([instance.is_proven, instance.is_lapsed, false, false]);
    }
}
