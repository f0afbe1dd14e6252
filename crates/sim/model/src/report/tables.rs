//! The report as text: tables in Markdown, and sequences.

use std::fmt::Write as _;

use super::{CAUSES, Report, Subject};
use crate::{Bound, Detail, Promise, Variant, Verdict};

impl Report {
    /// The tables for the documentation. They have no times in them: they change only with the
    /// protocol.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut text = String::new();
        let heads: Vec<_> = Promise::ALL.iter().map(|promise| promise.name()).collect();
        let head =
            format!("| protocol | {} | no repeat when all is well | states |", heads.join(" | "));
        line(&mut text, &format!("Within {}:\n", describe(&self.bound)));
        line(&mut text, &head);
        line(&mut text, &format!("|---|{}---|---:|", "---|".repeat(heads.len())));
        for variant in Variant::ALL {
            line(&mut text, &self.row(variant));
        }
        line(&mut text, "\nWhat a detail of the shipped protocol is for:\n");
        line(&mut text, "| detail | promise | without it | with it | within |");
        line(&mut text, "|---|---|---|---|---|");
        for detail in Detail::ALL {
            let promise = detail.breaks();
            let cells = [Subject::Without(detail), Subject::With(detail)]
                .map(|subject| cell(self.outcome(subject).verdict(promise)));
            let (name, bound) = (detail.name(), describe(&detail.bound()));
            line(
                &mut text,
                &format!("| {name} | {} | {} | {bound} |", promise.name(), cells.join(" | ")),
            );
        }
        line(
            &mut text,
            "\nWhat makes the shipped protocol repeat a reply at a receiver without keys:\n",
        );
        line(&mut text, "| what goes wrong | no repeated reply |");
        line(&mut text, "|---|---|");
        for (at, (cause, _)) in CAUSES.iter().enumerate() {
            let verdict = self.outcome(Subject::Cause(at)).verdict(Promise::NoRepeat);
            line(&mut text, &format!("| {cause} | {} |", cell(verdict)));
        }
        text
    }

    fn row(&self, variant: Variant) -> String {
        let outcome = self.outcome(Subject::Full(variant));
        let calm = self.outcome(Subject::Calm(variant)).verdict(Promise::NoRepeat);
        let cells = Promise::ALL.iter().map(|promise| outcome.verdict(*promise)).chain([calm]);
        let cells: Vec<_> = cells.map(cell).collect();
        let name = match variant {
            Variant::Shipped | Variant::ShippedKeyed => format!("**{}**", variant.name()),
            _ => variant.name().to_owned(),
        };
        format!("| {name} | {} | {} |", cells.join(" | "), outcome.states)
    }

    /// The shortest way to each broken promise.
    #[must_use]
    pub fn sequences(&self) -> String {
        let mut text = String::new();
        for variant in Variant::ALL {
            let outcome = self.outcome(Subject::Full(variant));
            for (promise, verdict) in &outcome.verdicts {
                sequence(&mut text, variant.name(), *promise, verdict);
            }
        }
        for detail in Detail::ALL {
            let verdict = self.outcome(Subject::Without(detail)).verdict(detail.breaks());
            let name = format!("as shipped, without this: {}", detail.name());
            sequence(&mut text, &name, detail.breaks(), verdict);
        }
        for (at, (cause, _)) in CAUSES.iter().enumerate() {
            let verdict = self.outcome(Subject::Cause(at)).verdict(Promise::NoRepeat);
            let name = format!("as shipped, when {cause} goes wrong");
            sequence(&mut text, &name, Promise::NoRepeat, verdict);
        }
        text
    }

    /// One line about each search: how large it was and how long it took.
    #[must_use]
    pub fn sizes(&self) -> String {
        let mut text = String::new();
        for (subject, outcome) in &self.outcomes {
            let (states, took) = (outcome.states, outcome.took.as_secs_f32());
            line(&mut text, &format!("{states:>9} states {took:>6.1} s  {subject:?}"));
        }
        text
    }
}

fn sequence(text: &mut String, name: &str, promise: Promise, verdict: &Verdict) {
    let Verdict::Broken(steps) = verdict else { return };
    line(text, &format!("{name}\n  breaks \"{}\":", promise.name()));
    for (step, at) in steps.iter().zip(1..) {
        line(text, &format!("  {at:>3}. {step}"));
    }
    line(text, "");
}

fn cell(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Holds => "holds".to_owned(),
        Verdict::Broken(steps) => format!("**breaks** in {}", steps.len()),
        Verdict::NotAsked => "–".to_owned(),
    }
}

fn describe(bound: &Bound) -> String {
    let count = |count: u8, one: &str, many: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        _ => Some(format!("{count} {many}")),
    };
    let parts = [
        count(bound.instances, "instance", "instances"),
        count(bound.activities, "activity", "activities"),
        count(bound.deliveries, "delivery each", "deliveries each"),
        count(bound.crashes, "crash", "crashes"),
        count(bound.faults, "fault", "faults"),
        count(bound.expiries, "early expiry", "early expiries"),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn line(text: &mut String, line: &str) {
    writeln!(text, "{line}").expect("writing to a String cannot fail");
}
