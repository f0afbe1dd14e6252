//! `sayso doctor`: preflight checks of a configuration on this machine, each with its cure.
//!
//! The checks run at once and each has its time, so that a machine without a network gets its
//! answer in seconds. They use what the server uses: the same client asks for a token, the same
//! store is opened.

mod address;
mod app;
mod clock;
mod finding;
mod patient;
mod store;
mod tls;
mod web;

use std::{
    future::{Future, ready},
    process::ExitCode,
    sync::Arc,
    time::{Duration, Instant},
};

use sayso::channel::auth::AuthOptions;
use tokio::{task::JoinHandle, time::timeout};

use self::{
    finding::{Finding, Mark, Report, summary},
    patient::Patient,
    web::ANSWER_MAX,
};
use crate::{
    cli::{self, Log},
    terminal::{self, Paint},
};

/// Timeout of a check.
const CHECK_MAX: Duration = Duration::from_secs(5);

/// Runs all checks and prints their reports.
pub(crate) async fn run(options: cli::Doctor) -> anyhow::Result<ExitCode> {
    terminal::start_log(Log::Text, "off");
    let mut marks = Vec::new();
    let mut tell = |report: Report| {
        marks.push(report.finding.mark);
        match options.json {
            true => terminal::line(report.json()),
            false => terminal::print(&report.lines(Paint::stdout())),
        }
    };
    let began = Instant::now();
    match options.sources.config() {
        Err(error) => tell(Report {
            check: "configuration",
            took: began.elapsed(),
            finding: Finding::failed(
                format!("{error:#}"),
                "correct it; `sayso config` shows the rest",
            ),
        }),
        Ok(config) => {
            let auth = config.auth().map_err(|error| error.to_string());
            let auth = auth.map(|auth| auth.map(patient));
            let patient = Arc::new(Patient { config, auth });
            for check in checks(&patient) {
                if let Ok(report) = check.await {
                    tell(report);
                }
            }
        }
    }
    if !options.json {
        terminal::line(format_args!("\n{}", summary(&marks)));
    }
    let is_well = !marks.contains(&Mark::Failed);
    Ok(if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn patient(auth: AuthOptions) -> AuthOptions {
    AuthOptions { timeout: ANSWER_MAX, ..auth }
}

/// Spawns all checks, in the order in which they are reported.
fn checks(patient: &Arc<Patient>) -> Vec<JoinHandle<Report>> {
    let of = || Arc::clone(patient);
    let listeners = [("TLS", patient.config.tls()), ("admin TLS", patient.config.admin_tls())];
    let certificates = listeners.into_iter().filter_map(|(check, files)| {
        let finding = tls::check(files)?;
        Some(within(check, ready(finding)))
    });
    let mut checks = vec![
        within("configuration", ready(configuration(patient))),
        within("app", ready(app::identity(patient))),
        within("token", app::token(of())),
        within("keys", app::keys(of())),
        within("clock", clock::check(of())),
        within("store", store::check(of())),
        within("address", address::check(of())),
        within("service URLs", ready(app::service_urls(patient))),
    ];
    checks.extend(certificates);
    checks
}

/// Spawns a check, which is aborted when its timeout is over.
fn within(
    check: &'static str,
    work: impl Future<Output = Finding> + Send + 'static,
) -> JoinHandle<Report> {
    tokio::spawn(async move {
        let began = Instant::now();
        // A task of its own: one that blocks its thread does not hold up the clock.
        let mut task = tokio::spawn(work);
        let finding = match timeout(CHECK_MAX, &mut task).await {
            Ok(Ok(finding)) => finding,
            Ok(Err(_)) => {
                Finding::failed("the check itself crashed", "run it with SAYSO_LOG=debug")
            }
            Err(_) => {
                task.abort();
                let text = format!("no answer within {} s", CHECK_MAX.as_secs());
                Finding::failed(
                    text,
                    "check that the addresses in `sayso config` can be reached from here",
                )
            }
        };
        Report { check, took: began.elapsed(), finding }
    })
}

fn configuration(patient: &Patient) -> Finding {
    let said = patient.config.settings();
    let said =
        said.iter().filter(|setting| setting.source != sayso::config::Source::Default).count();
    let text = match patient.config.path() {
        Some(path) => format!("{} and the environment: {said} settings", path.display()),
        None => format!("no file; {said} settings from the environment and flags"),
    };
    let warnings = patient.config.warnings();
    match warnings.is_empty() {
        true => Finding::ok(text),
        false => Finding::warning(text, warnings.join("; ")),
    }
}
