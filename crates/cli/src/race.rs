//! `sayso race`: two processes, one pizza, many toppings at once, and what the customers were told.
//!
//! It is the whole idea as a picture. The processes are real ones that share nothing but a store;
//! the parent plays the channel, collects what is said, and in the end reads the pizza.

mod board;
mod heat;
mod instance;
mod picture;
mod report;
mod row;
mod sink;
mod svg;
mod toppings;
mod total;
mod verdict;

use std::{fs, path::Path, process::ExitCode, sync::Arc};

use anyhow::{Context as _, bail};
use sayso::{open_store, turn::store::Store};
use tempfile::TempDir;

use self::{board::Board, heat::Heat, instance::Instance, report::Report, sink::Sink};
use crate::{
    cli::{LimitFlags, Log, Race, Semantics},
    terminal,
};

/// Races, and fails if ours lost anything.
pub(crate) async fn run(options: Race) -> anyhow::Result<ExitCode> {
    terminal::start_log(Log::Text, "error");
    if let Some(file) = &options.svg {
        check_folder(file)?;
    }
    let course = Course::new(&options).await?;
    let mut report = Report::new(&options);
    let raced = tokio::select! {
        raced = course.race(&options, &mut report) => raced,
        _ = terminal::interrupted() => Err(anyhow::anyhow!("the race was stopped")),
    };
    report.end();
    raced?;
    if let Some(file) = &options.svg {
        fs::write(file, report.svg()).with_context(|| cannot_write(file))?;
        if !options.json {
            terminal::line(format_args!("  The picture is in {}.\n", file.display()));
        }
    }
    Ok(if report.is_ours_right() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Setup that both semantics share: one store, one folder.
struct Course {
    /// The processes' logs, and the store unless another was named. Removed in the end.
    folder: TempDir,
    store_url: String,
    store: Arc<dyn Store>,
}

impl Course {
    async fn new(options: &Race) -> anyhow::Result<Self> {
        let folder = tempfile::Builder::new().prefix("sayso-race-").tempdir()?;
        let store_url = match &options.store {
            Some(url) if url.starts_with("memory:") => {
                bail!("two processes cannot share memory://; use for example sqlite:race.sqlite")
            }
            Some(url) => url.clone(),
            None => format!("sqlite:{}", folder.path().join("race.sqlite").display()),
        };
        let store = open_store(&store_url).await?;
        Ok(Self { folder, store_url, store })
    }

    async fn race(&self, options: &Race, report: &mut Report) -> anyhow::Result<()> {
        for &semantics in options.semantics.list() {
            let instances = self.start(semantics, options.limits).await?;
            for _ in 0..options.runs {
                let mut sink = Sink::start().await?;
                let heat = Heat::new(&instances, &*self.store, options.k)?;
                let is_live = report.is_live();
                let show = is_live.then_some(|board: &Board| report.show(semantics, board));
                let outcome = heat.run(&mut sink, show).await;
                let outcome = outcome.with_context(|| last_words(&instances))?;
                report.finish(semantics, outcome);
            }
            for instance in instances {
                instance.stop().await;
            }
        }
        Ok(())
    }

    async fn start(
        &self,
        semantics: Semantics,
        limits: LimitFlags,
    ) -> anyhow::Result<[Instance; 2]> {
        let log = |n: u8| self.folder.path().join(format!("{}-{n}.log", semantics.name()));
        let (one, two) = (log(1), log(2));
        let start = |log| Instance::start(semantics, &self.store_url, limits, log);
        let (one, two) = tokio::try_join!(start(&one as &Path), start(&two as &Path))?;
        Ok([one, two])
    }
}

/// Refuses a picture whose folder is missing, before the race instead of after it.
fn check_folder(file: &Path) -> anyhow::Result<()> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    if folder.is_some_and(|folder| !folder.is_dir()) {
        bail!("{}: its folder does not exist", cannot_write(file));
    }
    if file.is_dir() {
        bail!("{}: it is a folder", cannot_write(file));
    }
    Ok(())
}

fn cannot_write(file: &Path) -> String {
    let file = file.display();
    format!("the picture cannot be written to {file} (name a file in a folder you may write to)")
}

/// Ends of the processes' logs, for an error.
fn last_words(instances: &[Instance]) -> String {
    let words: Vec<String> = instances.iter().map(Instance::last_words).collect();
    format!("the race failed\n{}", words.join("\n"))
}
