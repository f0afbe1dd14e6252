//! The sheet that a page is written on: text, tables, and plots in files beside it.

use std::{fs, path::PathBuf};

use crate::{
    chart::{Bars, Group, figure},
    record::Records,
    runtime::Runtime,
};

/// The columns of a table: the name of a figure in records, and its head on the page.
pub(super) type Columns<'a> = &'a [(&'a str, &'a str)];

/// A page that is being written.
#[derive(Debug)]
pub(super) struct Sheet {
    text: String,
    plots: PathBuf,
}

impl Sheet {
    /// An empty one with a folder for its plots.
    pub(super) fn new(plots: &str) -> anyhow::Result<Self> {
        fs::create_dir_all(plots)?;
        Ok(Self { text: String::new(), plots: PathBuf::from(plots) })
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    pub(super) fn section(&mut self, title: &str, text: &str) {
        self.line(&format!("\n## {title}\n\n{text}\n"));
    }

    pub(super) fn bars(
        &mut self,
        file: &str,
        title: &str,
        measures: &str,
        records: &Records,
        size: u64,
        names: &[(&str, &str)],
    ) -> anyhow::Result<()> {
        let group = |(case, name): &(&str, &str)| {
            let of = |runtime: Runtime| {
                let figure = records.median(runtime.name(), case, size, "cpu_us")?;
                Some((runtime.name().to_owned(), figure))
            };
            Group {
                name: (*name).to_owned(),
                bars: Runtime::ALL.into_iter().filter_map(of).collect(),
            }
        };
        let groups = names.iter().map(group).collect();
        self.plot(file, title, &Bars { title, measures, groups }.svg()?)
    }

    pub(super) fn plot(&mut self, file: &str, title: &str, svg: &str) -> anyhow::Result<()> {
        fs::write(self.plots.join(file).with_extension("svg"), svg)?;
        self.line(&format!("![{title}](benchmarks/{file}.svg)\n"));
        Ok(())
    }

    /// A row for each case, size and runtime; columns that nobody has are left out.
    pub(super) fn table(&mut self, records: &Records, size: &str, columns: Columns<'_>) {
        let cases = records.cases();
        let has = |name: &str| {
            cases.iter().any(|(case, size, who)| records.median(who, case, *size, name).is_some())
        };
        let columns: Vec<_> = columns.iter().filter(|(name, _)| has(name)).collect();
        let (mut head, mut rule) = ("| |".to_owned(), "|---|".to_owned());
        if !size.is_empty() {
            head.push_str(&format!(" {size} |"));
            rule.push_str("---:|");
        }
        head.push_str(" |");
        rule.push_str("---|");
        for (_, title) in &columns {
            head.push_str(&format!(" {title} |"));
            rule.push_str("---:|");
        }
        self.line(&format!("\n{head}\n{rule}"));
        for (case, at, who) in cases {
            let mut row = format!("| {case} |");
            if !size.is_empty() {
                row.push_str(&format!(" {} |", figure(at as f64)));
            }
            row.push_str(&format!(" {} |", Runtime::title(who)));
            for (name, _) in &columns {
                row.push_str(&format!(" {} |", cell(records, who, case, at, name)));
            }
            self.line(&row);
        }
    }
}

/// The median, with the middle half when the runs differ.
fn cell(records: &Records, who: &str, case: &str, size: u64, name: &str) -> String {
    let Some(middle) = records.middle(who, case, size, name) else { return String::new() };
    let (median, low, high) = (figure(middle.median), figure(middle.low), figure(middle.high));
    if low == high { median } else { format!("{median} ({low}-{high})") }
}
