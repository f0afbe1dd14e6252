//! `model`: checks the turn protocol and its simpler relatives, and shows what breaks.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command talks to its user")]

use std::process::ExitCode;

use sayso_model::{ACTIVITIES_MAX, Bound, report::Report};

const HELP: &str = "\
Checks every order of events in the turn protocol, within a bound, and shows what breaks.

usage: model [--markdown | --check] [--bound N,N,N,N,N,N]

  --markdown   only the tables, for the documentation
  --check      only compares with what is expected; exits with 1 when anything differs
  --bound      instances, activities, deliveries of each, crashes, faults, early expiries;
               2,2,2,1,1,1 unless told (what is expected is said of that bound)

examples:
  cargo run --release -p sayso-model                           tables and sequences
  cargo run --release -p sayso-model -- --check                for CI
  cargo run --release -p sayso-model -- --bound 2,2,2,2,1,1    a deeper search: takes its time";

enum Mode {
    All,
    Markdown,
    Check,
}

fn main() -> ExitCode {
    let mut mode = Mode::All;
    let mut bound = Bound::CI;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "-h" | "--help" => {
                println!("{HELP}");
                return ExitCode::SUCCESS;
            }
            "--markdown" => mode = Mode::Markdown,
            "--check" => mode = Mode::Check,
            "--bound" => match arguments.next().as_deref().and_then(parse) {
                Some(given) => bound = given,
                None => return refuse("--bound needs six small numbers, such as 2,2,2,1,1,1"),
            },
            other => return refuse(&format!("unknown argument: {other}")),
        }
    }
    let report = Report::new(bound);
    match mode {
        Mode::All => println!("{}\n{}\n{}", report.markdown(), report.sequences(), report.sizes()),
        Mode::Markdown => print!("{}", report.markdown()),
        Mode::Check => print!("{}", report.sizes()),
    }
    let deviations = report.deviations();
    deviations.iter().for_each(|deviation| eprintln!("model: {deviation}"));
    match mode {
        Mode::Check if !deviations.is_empty() => ExitCode::FAILURE,
        _ => ExitCode::SUCCESS,
    }
}

fn refuse(why: &str) -> ExitCode {
    eprintln!("model: {why}\n\n{HELP}");
    ExitCode::from(2)
}

fn parse(text: &str) -> Option<Bound> {
    let numbers: Vec<u8> = text.split(',').map_while(|number| number.parse().ok()).collect();
    let [instances, activities, deliveries, crashes, faults, expiries] = *numbers else {
        return None;
    };
    let is_possible = (1..=4).contains(&instances)
        && (1..=ACTIVITIES_MAX).contains(&usize::from(activities))
        && (1..=4).contains(&deliveries)
        && crashes.max(faults).max(expiries) <= 4;
    is_possible.then_some(Bound { instances, activities, deliveries, crashes, faults, expiries })
}
