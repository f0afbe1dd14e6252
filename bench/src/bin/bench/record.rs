//! Results in JSON Lines: a record for each run, a file for each part.

use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions},
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::Context;
use sayso_bench::measure::Middle;
use serde::{Deserialize, Serialize};

/// One run of one case.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Record {
    /// Name of the measured runtime: `sayso` or another.
    pub(crate) who: String,
    /// Name of the case.
    pub(crate) case: String,
    /// Size of the case: connections, concurrent messages, bytes, conversations.
    pub(crate) size: u64,
    /// The figures by their names; a name ends in its unit.
    pub(crate) figures: BTreeMap<String, f64>,
}

impl Record {
    pub(crate) fn new(who: &str, case: impl Into<String>, size: u64) -> Self {
        Self { who: who.to_owned(), case: case.into(), size, figures: BTreeMap::new() }
    }

    /// Adds a figure.
    pub(crate) fn with(mut self, name: &str, figure: f64) -> Self {
        let _replaced = self.figures.insert(name.to_owned(), figure);
        self
    }

    pub(crate) fn figure(&self, name: &str) -> Option<f64> {
        self.figures.get(name).copied()
    }
}

/// The results file of a part, open for writing.
#[derive(Debug)]
pub(crate) struct Log {
    file: File,
    path: PathBuf,
}

impl Log {
    /// Creates the file, replacing that of an earlier run.
    pub(crate) fn create(results: &Path, part: &str) -> anyhow::Result<Self> {
        fs::create_dir_all(results)?;
        let path = path_of(results, part);
        let file = OpenOptions::new().create(true).write(true).truncate(true).open(&path);
        let file = file.with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self { file, path })
    }

    pub(crate) fn note(&mut self, record: &Record) -> anyhow::Result<()> {
        let line = serde_json::to_string(record)?;
        writeln!(self.file, "{line}")
            .with_context(|| format!("cannot write {}", self.path.display()))
    }
}

/// The records of a part, in the order of their runs; none when it did not run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Records(Vec<Record>);

impl Records {
    pub(crate) fn read(results: &Path, part: &str) -> anyhow::Result<Self> {
        let path = path_of(results, part);
        let Ok(text) = fs::read_to_string(&path) else { return Ok(Self::default()) };
        let parsed = text.lines().map(serde_json::from_str).collect::<Result<_, _>>();
        Ok(Self(parsed.with_context(|| format!("{} holds no records", path.display()))?))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The runs of one case.
    pub(crate) fn of(&self, who: &str, case: &str, size: u64) -> impl Iterator<Item = &Record> {
        self.0
            .iter()
            .filter(move |record| record.who == who && record.case == case && record.size == size)
    }

    /// The middle of a figure of a case, if it was measured.
    pub(crate) fn middle(&self, who: &str, case: &str, size: u64, name: &str) -> Option<Middle> {
        let figures: Vec<f64> =
            self.of(who, case, size).filter_map(|record| record.figure(name)).collect();
        (!figures.is_empty()).then(|| Middle::of(figures))
    }

    /// The median of a figure of a case, if it was measured.
    pub(crate) fn median(&self, who: &str, case: &str, size: u64, name: &str) -> Option<f64> {
        self.middle(who, case, size, name).map(|middle| middle.median)
    }

    /// Every combination of case, size and runtime once, in the order of their first runs.
    pub(crate) fn cases(&self) -> Vec<(&str, u64, &str)> {
        let mut cases = Vec::new();
        for record in &self.0 {
            let case = (record.case.as_str(), record.size, record.who.as_str());
            if !cases.contains(&case) {
                cases.push(case);
            }
        }
        cases
    }

    /// Points `(size, median)` of a runtime in a case, by size.
    pub(crate) fn line(&self, who: &str, case: &str, name: &str) -> Vec<(f64, f64)> {
        let mut points: Vec<(f64, f64)> = self
            .cases()
            .into_iter()
            .filter(|(found, _, whose)| *found == case && *whose == who)
            .filter_map(|(_, size, _)| Some((size as f64, self.median(who, case, size, name)?)))
            .collect();
        points.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        points
    }
}

fn path_of(results: &Path, part: &str) -> PathBuf {
    results.join(format!("{part}.jsonl"))
}
