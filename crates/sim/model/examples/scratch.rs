use sayso_model::{*, shipped::*};
use stateright::Model;
use std::collections::{HashSet, VecDeque};
fn main() {
    let bound = Bound{instances:2,activities:2,deliveries:2,crashes:1,faults:1,expiries:0};
    let m = Shipped { rules: Rules { is_keyed: true, ..Rules::default() }, bound };
    let mut seen: HashSet<State> = HashSet::new();
    let mut q: VecDeque<State> = m.init_states().into();
    for s in &q { seen.insert(s.clone()); }
    let mut acts = vec![];
    while let Some(s) = q.pop_front() {
        m.actions(&s, &mut acts);
        for a in acts.drain(..) { if let Some(n) = m.next_state(&s, a) { if seen.insert(n.clone()) { q.push_back(n); } } }
    }
    println!("{}", seen.len());
    let count = |name: &str, f: &dyn Fn(&mut State)| { let mut h = HashSet::new(); for s in &seen { let mut t = s.clone(); f(&mut t); use std::hash::{Hash,Hasher,DefaultHasher}; let mut d = DefaultHasher::new(); t.hash(&mut d); h.insert(d.finish()); } println!("{name}: {}", h.len()); };
    count("cache", &|s| for i in &mut s.instances { i.cache = None; });
    count("stale cache", &|s| for i in &mut s.instances { if i.cache.is_some_and(|c| !c.1) { i.cache = None; } });
    count("names", &|s| for i in &mut s.instances { i.name = 0; });
    count("work", &|s| for i in &mut s.instances { i.work = None; });
    count("sending", &|s| for i in &mut s.instances { i.sending = None; });
    count("foreign", &|s| for i in &mut s.instances { i.foreign = None; });
    count("waiting", &|s| for i in &mut s.instances { i.waiting = Default::default(); });
    count("handed", &|s| for i in &mut s.instances { i.handed = Default::default(); });
    count("outbox", &|s| for i in &mut s.instances { i.outbox = Default::default(); });
    count("doubtful", &|s| for i in &mut s.instances { i.doubtful = Default::default(); });
    count("lapsed", &|s| for i in &mut s.instances { i.is_lapsed = false; });
    count("late", &|s| s.late.clear());
    count("strays", &|s| s.strays = Default::default());
    count("taken", &|s| { s.doc.taken = Default::default(); });
    count("left", &|s| s.world.left = [0;3]);
    count("acked", &|s| s.world.acked = Default::default());
    count("visible", &|s| s.world.visible = Default::default());
    count("unmarked", &|s| s.world.unmarked = Default::default());
    count("budget", &|s| { s.world.crashes=0; s.world.faults=0; });
    count("doc", &|s| { s.doc = Default::default(); });
    count("all marks", &|s| { s.world.unmarked = Default::default(); s.doc.taken = Default::default(); for i in &mut s.instances { i.doubtful = Default::default(); i.sending = i.sending.map(|x| (x.0,false)); i.cache=i.cache.map(|mut c| {c.0.taken=Default::default(); c}); if let Some(w) = &mut i.work { if let Stage::Save(d) = &mut w.stage { d.doc.taken = Default::default(); d.taken=Default::default(); } } } s.strays=[s.strays[0].either(s.strays[1]), Default::default()]; for l in &mut s.late { l.0.taken=Default::default(); } });
}
