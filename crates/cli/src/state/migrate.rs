//! `sayso state migrate`: live migration of every document to another store.
//!
//! A store cannot tell what changed since some time, so a pass looks at every document of the
//! source. Passes are made until one that reads both stores completely finds no difference. Nothing
//! else is called done.

mod copy;
mod lineage;
mod progress;
mod tally;
#[cfg(test)]
mod tests;
mod trail;

use std::{path::Path, process::ExitCode, sync::Mutex, time::Instant};

use anyhow::{Context as _, bail};
use sayso::config::Encryption;
use serde::Serialize;

use self::{
    copy::{Copy, Depth},
    progress::Progress,
    tally::{Tally, Total},
    trail::Trail,
};
use super::{confirm, options::Migrate, output::Output, patience::Refusals};
use crate::place::{self, Missing};

/// Maximum number of passes, after which the source counts as changing all the time.
const PASSES_MAX: usize = 12;

/// Maximum number of passes that read both stores: more would find the same again.
const BOTH_MAX: usize = 4;

/// Maximum passes in a row without progress: each found no fewer changes than the one before.
const STALLED_MAX: usize = 2;

/// Convergence threshold: the target has caught up when at most one in this many documents changed.
const FEW: u64 = 20;

/// Migrates, prints the total, and returns its exit code.
pub(super) async fn run(options: Migrate) -> anyhow::Result<ExitCode> {
    if (&options.from, options.from_layout) == (&options.to, options.to_layout) {
        bail!("--from and --to name the same store");
    }
    let (from, to) = (&options.from, &options.to);
    let from_keys = keys(options.from_keys.as_deref(), options.from_names_key.as_deref());
    let to_keys = keys(options.to_keys.as_deref(), options.to_names_key.as_deref());
    let (from_keys, to_keys) = (from_keys.context("--from-keys")?, to_keys.context("--to-keys")?);
    let from = place::open(from, options.from_layout, from_keys, Missing::Refuse);
    let from = from.await.context("--from")?;
    let to = place::open(to, options.to_layout, to_keys, Missing::Create);
    let to = to.await.context("--to")?;
    let copy = Copy {
        from,
        to,
        prefix: options.prefix.clone(),
        replaces: options.replace,
        deletes_extra: options.delete_extra,
        progress: Progress::new(),
        trail: Mutex::new(Trail::default()),
        refusals: Refusals::default(),
    };
    let migration = Migration { copy, passes: Vec::new(), output: Output::new() };
    Box::pin(migration.run(&options)).await
}

/// Reads the encryption of one side. What the environment or a configuration says is of the bot's
/// store, and may be meant for either side: it is not used.
fn keys(keys: Option<&Path>, names: Option<&Path>) -> anyhow::Result<Option<Encryption>> {
    Ok(keys.map(|keys| Encryption::from_files(keys, names)).transpose()?)
}

/// A migration under way.
#[derive(Debug)]
struct Migration {
    copy: Copy,
    passes: Vec<Tally>,
    output: Output,
}

impl Migration {
    async fn run(mut self, options: &Migrate) -> anyhow::Result<ExitCode> {
        let began = Instant::now();
        self.copy.progress.note(&format!("copying {} to {}", self.copy.from, self.copy.to));
        let again = "the migration stopped; what was copied stays, and running it again continues";
        let mut is_quiet = false;
        if !options.cut_over || self.cut_over(options).await.context(again)? {
            is_quiet = self.settle(options.json).await.context(again)?;
        }
        let total = Total::new(&self.passes, is_quiet, options.keep_extra, began.elapsed());
        match options.json {
            true => self.output.json(&total)?,
            false => self.output.line(total.line())?,
        }
        self.output.end()?;
        self.copy.progress.note(&total.advice());
        Ok(total.code())
    }

    /// Catches up, then waits for the confirmation that the old instances are stopped. Returns
    /// `false` if there are documents to see to first: left alone, or only in the target.
    async fn cut_over(&mut self, options: &Migrate) -> anyhow::Result<bool> {
        let began = Instant::now();
        for _ in 0..PASSES_MAX {
            let depth = if self.passes.is_empty() { Depth::Both } else { Depth::Changes };
            let tally = self.pass(depth, options.json).await?;
            let is_whole = options.keep_extra || tally.only_in_target == 0;
            if tally.left_alone() > 0 || !is_whole {
                return Ok(false);
            }
            if is_few(&tally) {
                break;
            }
        }
        let passes = u32::try_from(self.passes.len()).unwrap_or(1).max(1);
        let pause = 2.0 * began.elapsed().as_secs_f64() / f64::from(passes);
        self.copy.progress.note(&format!(
            "The target has caught up. Stop the old instances now (SIGTERM drains them), then press \
             Enter: the rest is copied in about {pause:.0} s, and then the new ones can start."
        ));
        if confirm::line().await?.is_none() {
            bail!("no confirmation that the old instances are stopped");
        }
        Ok(true)
    }

    /// Makes passes until one that reads both stores finds nothing to do, or it is clear that none
    /// will. Reports whether one did.
    async fn settle(&mut self, json: bool) -> anyhow::Result<bool> {
        let mut depth = if self.passes.is_empty() { Depth::Both } else { Depth::Changes };
        let (mut both, mut stalled, mut before) = (0, 0, u64::MAX);
        for _ in 0..PASSES_MAX {
            let tally = self.pass(depth, json).await?;
            if depth == Depth::Both {
                both += 1;
                if tally.changes() == 0 || both == BOTH_MAX {
                    return Ok(tally.changes() == 0);
                }
            }
            depth = if is_few(&tally) { Depth::Both } else { Depth::Changes };
            stalled = if tally.changes() < before { 0 } else { stalled + 1 };
            if stalled == STALLED_MAX {
                break;
            }
            before = tally.changes();
        }
        Ok(false)
    }

    async fn pass(&mut self, depth: Depth, json: bool) -> anyhow::Result<Tally> {
        let pass = u32::try_from(self.passes.len() + 1)?;
        let began = Instant::now();
        let tally = self.copy.pass(pass, depth).await?;
        let (took, name) = (began.elapsed(), depth.name(pass));
        self.copy.progress.note(&tally.line(pass, name, took));
        if json {
            self.output.json(&Row { pass, depth: name, seconds: took.as_secs_f64(), tally })?;
            self.output.end()?;
        }
        self.passes.push(tally);
        Ok(tally)
    }
}

/// One pass as a line of JSON.
#[derive(Debug, Serialize)]
struct Row {
    pass: u32,
    depth: &'static str,
    seconds: f64,
    #[serde(flatten)]
    tally: Tally,
}

fn is_few(tally: &Tally) -> bool {
    tally.changes() * FEW <= tally.documents()
}
