//! The proxy itself: each fault, seen from both sides.

use std::{
    io::ErrorKind,
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::{TcpListener, TcpStream},
    time::timeout,
};

use super::{Fault, Proxy, Schedule};
use crate::process::STEP_MAX;

const A_WHILE: Duration = Duration::from_millis(300);
const ANSWER: &str = "answer to ham\n";

/// A server of lines: takes note of each and answers it.
#[derive(Clone, Debug)]
struct Upstream {
    address: SocketAddr,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Upstream {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let upstream = Self { address: listener.local_addr().unwrap(), heard: Arc::default() };
        let heard = Arc::clone(&upstream.heard);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(stream, Arc::clone(&heard)));
            }
        });
        upstream
    }

    fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }
}

async fn answer(stream: TcpStream, heard: Arc<Mutex<Vec<String>>>) {
    let mut stream = BufReader::new(stream);
    let mut line = String::new();
    while stream.read_line(&mut line).await.is_ok_and(|count| count > 0) {
        let answer = format!("answer to {line}");
        heard.lock().unwrap().push(line.trim().to_owned());
        line.clear();
        // A question that is never answered.
        if answer == "answer to silence\n" {
            continue;
        }
        if stream.write_all(answer.as_bytes()).await.is_err() {
            return;
        }
    }
}

/// Asks on a connection and gives what came until the end of the line or of the connection.
async fn ask(connection: &mut TcpStream, question: &str) -> Result<String, ErrorKind> {
    let answer = async {
        connection.write_all(format!("{question}\n").as_bytes()).await?;
        let mut answer = String::new();
        while !answer.ends_with('\n') {
            let mut bytes = [0; 1 << 10];
            let count = connection.read(&mut bytes).await?;
            if count == 0 {
                break;
            }
            answer.push_str(std::str::from_utf8(&bytes[..count]).unwrap());
        }
        Ok::<_, std::io::Error>(answer)
    };
    timeout(STEP_MAX, answer).await.unwrap().map_err(|error| error.kind())
}

async fn start(schedule: Schedule) -> (Upstream, Proxy, TcpStream) {
    let upstream = Upstream::start().await;
    let proxy = Proxy::start(upstream.address, schedule).await;
    let connection = TcpStream::connect(proxy.address).await.unwrap();
    (upstream, proxy, connection)
}

fn every_second(fault: Fault) -> Schedule {
    Schedule::new(0).every(2, fault)
}

#[tokio::test]
async fn without_faults_everything_passes_and_requests_are_counted() {
    let (upstream, proxy, mut connection) = start(Schedule::new(0)).await;
    for _ in 0..3 {
        assert_eq!(ask(&mut connection, "ham").await.unwrap(), ANSWER);
    }
    // More than all buffers on the way hold.
    let long = "x".repeat(8 << 20);
    assert_eq!(ask(&mut connection, &long).await.unwrap(), format!("answer to {long}\n"));
    assert_eq!(upstream.heard().len(), 4);
    let done = proxy.done();
    assert_eq!(done.requests, 4, "a long request is one");
    assert_eq!((done.cut, done.delayed, done.swallowed, done.reset), (0, 0, 0, 0));
    assert!(done.lost.is_empty());
}

#[tokio::test]
async fn a_cut_answer_is_lost_after_its_request_arrived_whole() {
    for after in [0, 1, 7, ANSWER.len() - 1] {
        let (upstream, proxy, mut connection) = start(every_second(Fault::Cut { after })).await;
        assert_eq!(ask(&mut connection, "ham").await.unwrap(), ANSWER);
        assert_eq!(ask(&mut connection, "ham").await.unwrap(), ANSWER[..after], "and closed");
        assert_eq!(upstream.heard(), ["ham", "ham"]);
        assert_eq!((proxy.done().cut, proxy.done().lost.len()), (1, 1));
    }
}

#[tokio::test]
async fn an_answer_that_is_not_longer_than_the_cut_passes() {
    let fault = Fault::Cut { after: ANSWER.len() };
    let (_, proxy, mut connection) = start(every_second(fault)).await;
    for _ in 0..4 {
        assert_eq!(ask(&mut connection, "ham").await.unwrap(), ANSWER);
    }
    assert_eq!((proxy.done().requests, proxy.done().cut), (4, 0));
}

#[tokio::test]
async fn a_delayed_answer_comes_later_and_whole() {
    let (_, proxy, mut connection) = start(every_second(Fault::Delay(A_WHILE))).await;
    assert_eq!(ask(&mut connection, "ham").await.unwrap(), ANSWER);
    let began = Instant::now();
    assert_eq!(ask(&mut connection, "ham").await.unwrap(), ANSWER);
    assert!(began.elapsed() >= A_WHILE);
    assert_eq!(proxy.done().delayed, 1);
    assert_eq!(ask(&mut connection, "ham").await.unwrap(), ANSWER, "the talk goes on");
}

#[tokio::test]
async fn a_black_hole_swallows_the_request_and_is_silent_for_a_while() {
    let (upstream, proxy, mut connection) = start(every_second(Fault::BlackHole(A_WHILE))).await;
    assert_eq!(ask(&mut connection, "ham").await.unwrap(), ANSWER);
    let began = Instant::now();
    assert_eq!(ask(&mut connection, "olives").await.unwrap(), "", "closed without a word");
    assert!(began.elapsed() >= A_WHILE);
    assert_eq!(upstream.heard(), ["ham"]);
    assert_eq!((proxy.done().swallowed, proxy.done().lost.len()), (1, 0));
}

#[tokio::test]
async fn a_reset_connection_is_an_error_and_the_request_never_arrives() {
    let (upstream, proxy, mut connection) = start(every_second(Fault::Reset)).await;
    assert_eq!(ask(&mut connection, "ham").await.unwrap(), ANSWER);
    assert_eq!(ask(&mut connection, "olives").await.unwrap_err(), ErrorKind::ConnectionReset);
    assert_eq!(upstream.heard(), ["ham"]);
    assert_eq!(proxy.done().reset, 1);
}

#[tokio::test]
async fn a_request_in_pieces_is_one_request() {
    let (_, proxy, mut connection) = start(every_second(Fault::Reset)).await;
    for piece in ["h", "a"] {
        connection.write_all(piece.as_bytes()).await.unwrap();
        tokio::time::sleep(A_WHILE / 10).await;
    }
    assert_eq!(ask(&mut connection, "m").await.unwrap(), ANSWER);
    assert_eq!(proxy.done().requests, 1);
}

#[tokio::test]
async fn clients_that_leave_are_counted_and_those_without_their_answer_apart() {
    let (_, proxy, mut connection) = start(Schedule::new(0)).await;
    connection.write_all(b"silence\n").await.unwrap();
    drop(connection);
    left(&proxy, 1).await;
    assert_eq!(proxy.done().abandoned, 1);
    let mut connection = TcpStream::connect(proxy.address).await.unwrap();
    assert_eq!(ask(&mut connection, "ham").await.unwrap(), ANSWER);
    drop(connection);
    left(&proxy, 2).await;
    // With an answer on the way that it never reads.
    let mut connection = TcpStream::connect(proxy.address).await.unwrap();
    connection.write_all(b"ham\n").await.unwrap();
    connection.readable().await.unwrap();
    drop(connection);
    left(&proxy, 3).await;
    assert_eq!((proxy.done().abandoned, proxy.done().lost.len()), (1, 0));
}

async fn left(proxy: &Proxy, count: usize) {
    let began = Instant::now();
    while proxy.done().left.len() < count {
        assert!(began.elapsed() < STEP_MAX, "never noticed: {:?}", proxy.done());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn connections_go_to_the_server_that_is_there_now() {
    let (_, proxy, mut connection) = start(Schedule::new(0)).await;
    assert_eq!(ask(&mut connection, "ham").await.unwrap(), ANSWER);
    let gone = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    proxy.point_to(gone);
    let mut connection = TcpStream::connect(proxy.address).await.unwrap();
    assert_ne!(ask(&mut connection, "ham").await.as_deref(), Ok(ANSWER), "nobody is there");
    let other = Upstream::start().await;
    proxy.point_to(other.address);
    let mut connection = TcpStream::connect(proxy.address).await.unwrap();
    assert_eq!(ask(&mut connection, "ham").await.unwrap(), ANSWER);
    assert_eq!(other.heard(), ["ham"]);
}

#[test]
fn rules_count_over_all_connections_or_on_each() {
    let overall = Schedule::new(0).every(3, Fault::Reset);
    assert_eq!(overall.fault(3, 1), Some(Fault::Reset));
    assert_eq!(overall.fault(4, 3), None);
    let each = Schedule::new(0).every_of_connection(3, Fault::Reset);
    assert_eq!(each.fault(3, 1), None);
    assert_eq!(each.fault(4, 3), Some(Fault::Reset));
    let cut = Fault::Cut { after: 0 };
    let both = Schedule::new(0).every(2, cut).every(3, Fault::Reset);
    assert_eq!(both.fault(6, 1), Some(cut), "the first rule that applies");
    assert_eq!(both.fault(3, 1), Some(Fault::Reset));
}

#[test]
fn chance_comes_from_the_seed_alone() {
    let faults = |seed| {
        let schedule = Schedule::new(seed).one_in(10, Fault::Reset);
        (1..=10_000).map(|n| schedule.fault(n, 1).is_some()).collect::<Vec<bool>>()
    };
    assert_eq!(faults(7), faults(7));
    assert_ne!(faults(7), faults(8));
    let count = faults(7).iter().filter(|is_met| **is_met).count();
    assert!((900..1_100).contains(&count), "{count} of 10000");
}
