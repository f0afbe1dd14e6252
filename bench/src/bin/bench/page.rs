//! The page `docs/benchmarks.md`: tables and plots of the last results. Text below a marker is
//! written by hand, and kept.

mod sheet;
mod text;

use std::{fs, path::Path};

use self::sheet::{Columns, Sheet};
use crate::{
    chart::{Line, Lines},
    goals::Results,
    machine,
    record::Records,
    runtime::Runtime,
};

const PAGE: &str = "docs/benchmarks.md";
const PLOTS: &str = "docs/benchmarks";
/// Marker: text after it is kept.
const BY_HAND: &str = "<!-- Below this line the page is written by hand. -->";

/// Writes the page and the plots.
pub(crate) fn write(results: &Path) -> anyhow::Result<()> {
    let measured = Results::read(results)?;
    let mut page = Sheet::new(PLOTS)?;
    page.head(results);
    page.goals(&measured);
    page.beside(&measured)?;
    page.contention(&measured.contention)?;
    page.growth(&measured.growth)?;
    page.rest(&measured);
    let old = fs::read_to_string(PAGE).unwrap_or_default();
    let kept = old.split_once(BY_HAND).map_or("\n", |(_, kept)| kept);
    fs::write(PAGE, format!("{}\n\n{BY_HAND}{kept}", page.text().trim_end()))?;
    println!("{PAGE} is written, its plots are in {PLOTS}");
    Ok(())
}

impl Sheet {
    fn head(&mut self, results: &Path) {
        self.line("# Benchmarks\n");
        self.line(text::INTRODUCTION);
        let Some(machine) = machine::read(results) else { return };
        self.line(if machine.is_laid_out {
            text::LAID_OUT
        } else if machine.is_profiled {
            text::PROFILED
        } else {
            text::NOT_PROFILED
        });
        self.line(&format!(
            "\n{}, {} cores, {} GB, {};\n{}, Node {}; {}.",
            machine.processor,
            machine.cores,
            machine.memory_gb,
            machine.system,
            machine.rust,
            machine.node,
            machine.day
        ));
        if machine.is_quick {
            self.line(text::QUICK);
        }
    }

    fn goals(&mut self, measured: &Results) {
        self.section("Goals", text::GOALS);
        self.line("| goal | wanted | measured | |\n|---|---|---:|---|");
        for goal in measured.goals() {
            let (found, verdict) = goal.verdict();
            self.line(&format!("| {} | {} | {found} | {verdict} |", goal.what, goal.wanted));
        }
    }

    fn beside(&mut self, measured: &Results) -> anyhow::Result<()> {
        let columns: Columns<'_> =
            &[("cpu_us", "CPU µs"), ("wall_us", "wall µs"), ("memory_mb", "peak MB")];
        if !measured.in_process.is_empty() {
            self.section("In process", text::IN_PROCESS);
            let names = [
                ("pizza", "pizza turn"),
                ("dialog", "waterfall turn"),
                ("plain", "waterfall turn, plain prompts"),
            ];
            self.bars(
                "in-process",
                "A turn in process",
                "CPU microseconds a turn",
                &measured.in_process,
                1,
                &names,
            )?;
            self.table(&measured.in_process, "", columns);
        }
        let columns: Columns<'_> = &[
            ("cpu_us", "CPU µs"),
            ("turns_s", "turns/s"),
            ("reply_p50_ms", "reply p50 ms"),
            ("reply_p99_ms", "p99 ms"),
            ("calls", "store calls"),
            ("memory_mb", "MB"),
            ("wrong", "wrong"),
        ];
        let names = [("pizza", "pizza turn"), ("dialog", "waterfall turn")];
        if !measured.http.is_empty() {
            self.section("HTTP, memory store", text::HTTP);
            self.bars(
                "http",
                "A turn behind HTTP, memory store",
                "CPU microseconds a turn, 16 connections",
                &measured.http,
                16,
                &names,
            )?;
            self.table(&measured.http, "connections", columns);
        }
        if !measured.blob.is_empty() {
            self.section("HTTP, Azurite", text::AZURITE);
            self.bars(
                "azurite",
                "A turn behind HTTP, state in Azurite",
                "CPU microseconds of the bot a turn, 16 connections",
                &measured.blob,
                16,
                &names,
            )?;
            self.table(&measured.blob, "connections", columns);
        }
        Ok(())
    }

    fn contention(&mut self, records: &Records) -> anyhow::Result<()> {
        if records.is_empty() {
            return Ok(());
        }
        self.section("Contention", text::CONTENTION);
        for (file, name, title, up) in [
            (
                "contention-time",
                "last_ms",
                "Many messages at once: when the last answer is there",
                "milliseconds",
            ),
            (
                "contention-calls",
                "calls",
                "Many messages at once: calls to the store",
                "calls in all",
            ),
        ] {
            let line = |who: &str| Line {
                who: who.to_owned(),
                name: Runtime::title(who).to_owned(),
                is_dashed: false,
                points: records.line(who, "2 processes", name),
            };
            let lines = ["sayso", "js", "py"].map(line).into();
            let right = "messages at once, two processes";
            self.plot(file, title, &Lines { title, up, right, lines }.svg()?)?;
        }
        self.table(
            records,
            "messages",
            &[
                ("confirmed", "confirmed"),
                ("saved", "saved"),
                ("lost", "confirmed and lost"),
                ("attempts", "attempts a turn"),
                ("calls", "store calls"),
                ("last_ms", "last answer ms"),
            ],
        );
        Ok(())
    }

    fn growth(&mut self, growth: &Records) -> anyhow::Result<()> {
        if growth.is_empty() {
            return Ok(());
        }
        self.section("Growth", text::GROWTH);
        let line = |case: &str, name: &str, title: &str, is_dashed| Line {
            who: if is_dashed { "json" } else { "sayso" }.to_owned(),
            name: title.to_owned(),
            is_dashed,
            points: growth.line("sayso", case, name),
        };
        let title = "A turn by the size of its state";
        let lines = vec![
            line("state", "cpu_us", "a turn", false),
            line("state", "json_us", "one JSON parse and write", true),
        ];
        let plot = Lines { title, up: "CPU microseconds", right: "state in KiB", lines };
        self.plot("growth-state", title, &plot.svg()?)?;
        let title = "A turn by the number of conversations";
        let lines = vec![
            line("conversations", "active_us", "ten active", false),
            line("conversations", "spread_us", "any of them", true),
        ];
        let plot = Lines { title, up: "CPU microseconds", right: "conversations on SQLite", lines };
        self.plot("growth-conversations", title, &plot.svg()?)?;
        self.table(
            growth,
            "size",
            &[
                ("cpu_us", "CPU µs"),
                ("json_us", "JSON µs"),
                ("active_us", "ten active, CPU µs"),
                ("spread_us", "any, CPU µs"),
                ("held_bytes_each", "memory bytes each"),
                ("memory_mb", "MB in all"),
                ("spread_loads", "any, loads a turn"),
                ("stored_mb", "MB stored"),
            ],
        );
        Ok(())
    }

    fn rest(&mut self, measured: &Results) {
        if !measured.recovery.is_empty() {
            self.section("Recovery", text::RECOVERY);
            self.table(
                &measured.recovery,
                "turns in flight",
                &[
                    ("first_s", "first reply s"),
                    ("last_s", "last reply s"),
                    ("arrived", "arrived"),
                    ("again", "arrived again"),
                ],
            );
        }
        if !measured.start.is_empty() {
            self.section("Start", text::START);
            self.table(
                &measured.start,
                "",
                &[
                    ("ready_ms", "ready ms"),
                    ("reply_ms", "first reply ms"),
                    ("memory_mb", "MB at rest"),
                    ("program_mb", "program MB"),
                ],
            );
        }
        if !measured.engines.is_empty() {
            self.section("Engines", text::ENGINES);
            self.table(
                &measured.engines,
                "in flight",
                &[
                    ("turns_s", "turns/s"),
                    ("raw_s", "raw saves/s"),
                    ("best_raw_s", "best raw saves/s"),
                    ("turns_for_a_save", "turns for the best raw save"),
                ],
            );
        }
    }
}
