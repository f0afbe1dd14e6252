//! One run as a line of JSON, for programs that read a race.

use serde::Serialize;

use super::heat::Outcome;
use crate::cli::Semantics;

/// One run as a line of JSON.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    semantics: &'static str,
    run: u16,
    k: usize,
    confirmed: usize,
    on_pizza: usize,
    lost: usize,
    refused: usize,
    silent: usize,
    repeats: u32,
    attempts: u64,
    commits: u64,
    conflicts: u64,
    saved_ms: u128,
    wall_ms: u128,
    consistent: bool,
}

impl Row {
    pub(super) fn new(semantics: Semantics, run: u16, outcome: &Outcome) -> Self {
        let Outcome { board, verdict, counts, saved, wall } = outcome;
        Self {
            semantics: semantics.name(),
            run,
            k: board.cells.len(),
            confirmed: verdict.confirmed,
            on_pizza: verdict.on_pizza,
            lost: verdict.lost,
            refused: verdict.refused,
            silent: verdict.silent,
            repeats: verdict.repeats,
            attempts: counts.attempts,
            commits: counts.commits,
            conflicts: counts.conflicts,
            saved_ms: saved.as_millis(),
            wall_ms: wall.as_millis(),
            consistent: verdict.is_consistent(),
        }
    }
}
