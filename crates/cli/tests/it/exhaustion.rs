//! Connection exhaustion: idle, slow (Slowloris) and stormy clients do not stop a healthy one.
//!
//! The server is the real command in a process of its own, with a limit on its open files that is
//! low enough to be reached. A healthy client asks all the time, each time over a new connection;
//! its figures before, during and after are printed. `SAYSO_EXHAUSTION_SOCKETS` sets the number of
//! idle sockets; from 10,000 on it also waits for the server to hang up on those that it has room
//! for.

mod crowd;
mod healthy;
mod machine;

use std::time::{Duration, Instant};

use self::{
    crowd::{Crowd, storm},
    healthy::{Figures, Healthy},
    machine::{Machine, need_descriptors},
};

/// Number of idle sockets in a run of the normal tests.
const SOCKETS: usize = 1_000;
/// Number of idle sockets from which on a run is a full one.
const SOCKETS_FULL: usize = 10_000;
/// Maximum latency (p99) of the healthy client under attack. Machines differ, so it is far above
/// what is measured; the figures are printed.
const P99_MAX: Duration = Duration::from_secs(3);
/// Minimum number of its requests that are answered in every phase.
const HEARD_MIN: usize = 5;
/// Maximum growth of the server's memory: a constant, and some for each connection.
const GROWTH_MB: u64 = 16;
const GROWTH_KB_EACH: u64 = 48;

/// Size of a run.
struct Plan {
    sockets: usize,
    slow: usize,
    bodies: usize,
    /// Open files of the server: its connections are fewer than the sockets.
    descriptors: usize,
    seats: usize,
    phase: Duration,
}

impl Plan {
    fn of(sockets: usize) -> Self {
        let is_full = sockets >= SOCKETS_FULL;
        let (descriptors, seats) = if is_full { (4096 + 256, 4096) } else { (600, 344) };
        let phase = Duration::from_millis(if is_full { 8_000 } else { 1_000 });
        Self { sockets, slow: sockets / 5, bodies: seats / 2, descriptors, seats, phase }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn idle_slow_and_stormy_connections_do_not_stop_a_healthy_client() {
    let asked = std::env::var("SAYSO_EXHAUSTION_SOCKETS").ok();
    let asked = asked.map(|text| text.parse().expect("SAYSO_EXHAUSTION_SOCKETS is a number"));
    let sockets = asked.unwrap_or(SOCKETS);
    exhaust(&Plan::of(sockets)).await;
}

#[expect(clippy::print_stdout, reason = "the figures of the run")]
async fn exhaust(plan: &Plan) {
    need_descriptors(plan.sockets + plan.slow + plan.bodies + 500);
    let machine = Machine::start(plan.descriptors).await;
    let healthy = Healthy::start(machine.address);

    tokio::time::sleep(plan.phase).await;
    let before = report("before", &healthy, &machine, "nobody else");

    // Sockets that say nothing.
    let idle = Crowd::open(&machine, plan.sockets, "").await;
    tokio::time::sleep(plan.phase).await;
    let open = idle.open_count();
    report("idle", &healthy, &machine, &format!("{} opened, {open} held", idle.len()));
    assert!(open <= plan.seats, "{open} connections are open, and there are {} seats", plan.seats);
    assert!(open >= plan.seats / 2, "only {open} are held; the attack is none");

    // Heads that come one byte a second.
    let slow = Crowd::open(&machine, plan.slow, "POST /api/messages HTTP/1.1\r\nhost: loc").await;
    let drip = slow.drip("alhost\r\nx: ");
    tokio::time::sleep(plan.phase).await;
    drip.abort();
    let open = slow.open_count();
    report("slow heads", &healthy, &machine, &format!("{} opened, {open} held", slow.len()));

    // Bodies that come one byte a second: each is answered 408 after ten seconds.
    let began = Instant::now();
    let head = "POST /api/messages HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
                content-length: 200000\r\n\r\n{";
    let bodies = Crowd::open(&machine, plan.bodies, head).await;
    let drip = bodies.drip("\"text\":\"");
    let ended = bodies.wait_for_end(Duration::from_secs(30)).await;
    drip.abort();
    let (took, timed_out) = (began.elapsed(), ended.with("408 Request Timeout"));
    let note = format!("{} opened, {timed_out} answered 408 within {took:.1?}", bodies.len());
    report("slow bodies", &healthy, &machine, &note);
    assert_eq!(ended.open, 0, "a body may take ten seconds");
    assert!(timed_out >= bodies.len() * 9 / 10, "{timed_out} of {}", bodies.len());
    assert!(took >= Duration::from_secs(9), "{took:?}");

    // Connections that come and go as fast as they can.
    let began = Instant::now();
    let enough = async {
        tokio::time::sleep(plan.phase).await;
        // A lost SYN alone is sent again after a second.
        healthy.heard(HEARD_MIN, P99_MAX * HEARD_MIN as u32).await;
    };
    let stormed = storm(&machine, enough).await;
    let rate = stormed.opened as f64 / began.elapsed().as_secs_f64();
    report("storm", &healthy, &machine, &format!("{} opened, {rate:.0}/s", stormed.opened));
    assert!(stormed.opened > 100, "the storm was none: {stormed:?}");
    drop((idle, slow, bodies));

    if plan.sockets >= SOCKETS_FULL {
        patience(&healthy, &machine).await;
    }
    tokio::time::sleep(plan.phase).await;
    report("after", &healthy, &machine, "all have gone");
    let growth = machine.peak_mb().saturating_sub(before.mb);
    println!("exhaustion: peak {} MB, {growth} MB above the start", machine.peak_mb());
    let growth_max = GROWTH_MB + GROWTH_KB_EACH * plan.seats as u64 / 1024;
    assert!(growth <= growth_max, "{growth} MB more than before, {growth_max} are allowed");
    let asked = healthy.stop().await;
    println!("exhaustion: {} healthy requests, {} tried again, 0 failed", asked.all, asked.again);
    assert!(asked.again * 20 <= asked.all, "too many had to be tried again: {asked:?}");
    machine.stop().await;
}

/// Checks that silent and slow connections are closed even if there is room.
async fn patience(healthy: &Healthy, machine: &Machine) {
    let silent = Crowd::open(machine, 50, "").await;
    let slow = Crowd::open(machine, 50, "POST /api/messages HTTP/1.1\r\nhost: loc").await;
    let drip = slow.drip("alhost\r\nx: ");
    let began = Instant::now();
    let limit = Duration::from_secs(90);
    let (silent_ended, slow_ended) =
        tokio::join!(silent.wait_for_end(limit), slow.wait_for_end(limit));
    drip.abort();
    let note = format!(
        "50 silent were hung up on after {:.1?}, 50 slow heads after {:.1?}",
        silent_ended.last.duration_since(began),
        slow_ended.last.duration_since(began)
    );
    report("patience", healthy, machine, &note);
    assert_eq!((silent_ended.open, slow_ended.open), (0, 0));
}

/// Prints what the healthy client saw since the last report, and checks it.
#[expect(clippy::print_stdout, reason = "the figures of the run")]
fn report(phase: &str, healthy: &Healthy, machine: &Machine, note: &str) -> Figures {
    let figures = Figures { mb: machine.mb(), ..healthy.figures() };
    println!("exhaustion, {phase}: {figures}; {note}");
    assert!(figures.count >= HEARD_MIN, "{phase}: the healthy client was hardly heard: {figures}");
    assert!(figures.p99 <= P99_MAX, "{phase}: {figures}");
    figures
}
