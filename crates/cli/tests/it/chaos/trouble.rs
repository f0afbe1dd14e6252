//! Fault injection: kills and freezes of the processes.

use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use tempfile::TempDir;
use tokio::time::{MissedTickBehavior, interval, sleep};

use super::{CUTS_MIN, EXTRA, FREEZES_MIN, KILLS_MIN, PROCESSES, SEED, posts};
use crate::{
    process::{Served, signal},
    proxy::Proxy,
    recorder::LIMITS,
};

/// Duration of a freeze, twice as long as a claim lives: others take over while the frozen one
/// still believes in its own.
const FREEZE: Duration = Duration::from_secs(5);
/// Interval between two faults; a short run has a shorter one.
const PERIOD: Duration = Duration::from_millis(3500);

/// The processes, each behind a proxy that stays when it goes.
pub(super) struct Trouble {
    folder: TempDir,
    store_url: String,
    places: Vec<(Served, Proxy)>,
    dice: fastrand::Rng,
    pub(super) kills: usize,
    pub(super) freezes: usize,
}

impl Trouble {
    /// Starts the processes on a store.
    pub(super) async fn start(store_url: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut places = Vec::new();
        for place in 0..PROCESSES {
            let served = serve(&folder, store_url).await;
            let proxy = Proxy::start(address(&served), posts(place)).await;
            places.push((served, proxy));
        }
        let (store_url, dice) = (store_url.to_owned(), fastrand::Rng::with_seed(SEED));
        Self { folder, store_url, places, dice, kills: 0, freezes: 0 }
    }

    /// Proxies through which users reach the processes.
    pub(super) fn places(&self) -> Vec<Proxy> {
        self.places.iter().map(|(_, proxy)| proxy.clone()).collect()
    }

    /// Kills and freezes for a time, and then for as long as it takes to have done enough.
    pub(super) async fn make(&mut self, time: Duration, is_enough: impl Fn() -> bool) {
        let began = Instant::now();
        let mut ticks = interval(PERIOD.min(time / 30).max(Duration::from_millis(1)));
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        for round in 1.. {
            ticks.tick().await;
            let is_done = self.kills >= KILLS_MIN
                && self.freezes >= FREEZES_MIN
                && self.cuts() >= CUTS_MIN
                && is_enough();
            if began.elapsed() >= if is_done { time } else { time + EXTRA } {
                return;
            }
            let place = self.dice.usize(..PROCESSES);
            if round % 6 == 0 { self.freeze(place).await } else { self.kill(place).await }
        }
    }

    async fn kill(&mut self, place: usize) {
        let (served, proxy) = &mut self.places[place];
        served.child.kill().await.unwrap();
        self.kills += 1;
        *served = serve(&self.folder, &self.store_url).await;
        proxy.point_to(address(served));
    }

    /// Stops a process, and kills another one meanwhile.
    async fn freeze(&mut self, place: usize) {
        let id = self.places[place].0.child.id().unwrap();
        let from = Instant::now();
        signal(id, "STOP").await;
        sleep(FREEZE / 2).await;
        self.kill((place + 1) % PROCESSES).await;
        sleep((from + FREEZE).saturating_duration_since(Instant::now())).await;
        signal(id, "CONT").await;
        self.freezes += 1;
    }

    /// Number of answers to posts that were cut.
    pub(super) fn cuts(&self) -> u64 {
        self.places.iter().map(|(_, proxy)| proxy.done().cut).sum()
    }

    pub(super) fn figures(&self) -> String {
        format!(
            "{} kills, {} freezes, {} answers to posts cut",
            self.kills,
            self.freezes,
            self.cuts()
        )
    }
}

async fn serve(folder: &TempDir, store_url: &str) -> Served {
    let arguments = [&["--store", store_url], &LIMITS[..]].concat();
    let mut served = Served::start(folder.path(), &arguments).await;
    // Nobody reads its log, and a full pipe would stop it.
    let mut log = served.child.stderr.take().unwrap();
    tokio::spawn(async move { tokio::io::copy(&mut log, &mut tokio::io::sink()).await });
    served
}

fn address(served: &Served) -> SocketAddr {
    served.url.strip_prefix("http://").unwrap().parse().unwrap()
}
