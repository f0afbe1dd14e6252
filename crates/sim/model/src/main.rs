//! x
use sayso_model::*;
fn main() {
    let v: Vec<_> = std::env::args().skip(1).map(|a| a.parse::<usize>().unwrap()).collect();
    let vs: Vec<_> = Variant::ALL.into_iter().enumerate().filter(|(i,_)| v.is_empty() || v.contains(i)).map(|x| x.1).collect();
    for t in trials(&vs, Bound::CI) {
        println!("{} {} states {:.1}s | calm {} states; missing {:?} {:?}", t.variant.name(), t.outcome.states, t.outcome.took.as_secs_f32(), t.calm.states, t.outcome.missing, t.calm.missing);
        for (o, n) in [(&t.outcome, "bound"), (&t.calm, "calm")] {
            for (p, v) in &o.verdicts { if let Verdict::Broken(story) = v { println!("  {n}: {} broken in {}", p.name(), story.len());
                if t.variant as usize > 6 { for l in story { println!("       {l}"); } } } }
        }
    }
}
