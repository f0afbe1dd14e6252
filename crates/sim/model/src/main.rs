//! x
use sayso_model::*;
fn main() {
    let v: Vec<_> = std::env::args().skip(1).map(|a| a.parse::<usize>().unwrap()).collect();
    let vs: Vec<_> = Variant::ALL
        .into_iter()
        .enumerate()
        .filter(|(i, _)| v.is_empty() || v.contains(i))
        .map(|x| x.1)
        .collect();
    let b: Vec<u8> = std::env::var("B")
        .unwrap_or("2,2,2,1,1,1".into())
        .split(',')
        .map(|x| x.parse().unwrap())
        .collect();
    let bound = Bound {
        instances: b[0],
        activities: b[1],
        deliveries: b[2],
        crashes: b[3],
        faults: b[4],
        expiries: b[5],
    };
    for t in trials(&vs, bound) {
        println!(
            "{} {} states {:.1}s | calm {} states; missing {:?} {:?}",
            t.variant.name(),
            t.outcome.states,
            t.outcome.took.as_secs_f32(),
            t.calm.states,
            t.outcome.missing,
            t.calm.missing
        );
        for (o, n) in [(&t.outcome, "bound"), (&t.calm, "calm")] {
            for (p, v) in &o.verdicts {
                if let Verdict::Broken(story) = v {
                    println!("  {n}: {} broken in {}", p.name(), story.len());
                    if t.variant as usize > 6 {
                        for l in story {
                            println!("       {l}");
                        }
                    }
                }
            }
        }
    }
}
