//! A proxy that injects one fault into a request.

use std::{
    io::{Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

/// The fate of the next request of a method.
#[derive(Clone, Debug)]
pub(super) enum Fault {
    /// It is done and its answer is lost.
    LoseAnswer,
    /// It is done and answered with this instead.
    AnswerInstead(String),
    /// It is answered with this and never done.
    Refuse(String),
}

#[derive(Clone)]
pub(super) struct Proxy {
    pub(super) endpoint: String,
    plan: Arc<Mutex<Plan>>,
}

#[derive(Default)]
struct Plan {
    next: Option<(&'static str, Fault)>,
    strips_conditions: bool,
    /// The id of the only key that is taken.
    key: Option<String>,
    count: usize,
}

impl Proxy {
    pub(super) fn start(target: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = format!("127.0.0.1:{}", listener.local_addr().unwrap().port());
        let proxy = Self { endpoint, plan: Arc::default() };
        let (plan, target) = (Arc::clone(&proxy.plan), target.to_owned());
        // The threads end with the process of the test.
        let _thread = thread::spawn(move || {
            for client in listener.incoming() {
                let (plan, target) = (Arc::clone(&plan), target.clone());
                let _thread = thread::spawn(move || serve(client.unwrap(), &target, &plan));
            }
        });
        proxy
    }

    /// Does this to the next request of a method.
    pub(super) fn next(&self, method: &'static str, fault: Fault) {
        self.plan.lock().unwrap().next = Some((method, fault));
    }

    /// From now on the server sees no conditions.
    pub(super) fn strip_conditions(&self) {
        self.plan.lock().unwrap().strips_conditions = true;
    }

    /// From now on requests by any other key are refused.
    pub(super) fn only(&self, key: &str) {
        self.plan.lock().unwrap().key = Some(key.to_owned());
    }

    /// The number of faults so far.
    pub(super) fn count(&self) -> usize {
        self.plan.lock().unwrap().count
    }
}

/// An answer of a server.
pub(super) fn answer(status: &str, code: &str) -> String {
    let body = format!("<Error><Code>{code}</Code><Message>about pizza</Message></Error>");
    let length = body.len();
    format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}")
}

/// Passes one request on and hangs up after its answer.
fn serve(mut client: TcpStream, target: &str, plan: &Mutex<Plan>) {
    let Some(mut request) = read_request(&mut client) else { return };
    let fault = {
        let mut plan = plan.lock().unwrap();
        if plan.strips_conditions {
            request = stripped(&request);
        }
        let is_next =
            |(method, _): &mut (&'static str, Fault)| request.starts_with(method.as_bytes());
        let fault = plan.next.take_if(is_next).map(|(_, fault)| fault);
        plan.count += usize::from(fault.is_some());
        fault
    };
    if !is_by(&request, plan) {
        let refusal = answer("403 Forbidden", "InvalidAccessKeyId");
        drop(client.write_all(refusal.as_bytes()));
        return;
    }
    if let Some(Fault::Refuse(answer)) = &fault {
        drop(client.write_all(answer.as_bytes()));
        return;
    }
    let mut server = TcpStream::connect(target).unwrap();
    server.write_all(&closing(&request)).unwrap();
    let mut given = Vec::new();
    if server.read_to_end(&mut given).is_err() {
        return;
    }
    match fault {
        Some(Fault::LoseAnswer) => drop(client.shutdown(Shutdown::Both)),
        Some(Fault::AnswerInstead(answer)) => drop(client.write_all(answer.as_bytes())),
        _ => drop(client.write_all(&given)),
    }
}

/// True for a request that is signed by the only key, if there is one.
fn is_by(request: &[u8], plan: &Mutex<Plan>) -> bool {
    let plan = plan.lock().unwrap();
    let Some(key) = &plan.key else { return true };
    String::from_utf8_lossy(request).contains(&format!("Credential={key}/"))
}

/// Head and body of a request, or `None` at the end.
fn read_request(client: &mut TcpStream) -> Option<Vec<u8>> {
    let (mut request, mut buffer) = (Vec::new(), [0; 65_536]);
    loop {
        if let Some(end) = request.windows(4).position(|window| window == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&request[..end]).to_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            let length: usize = length.map_or(0, |length| length.trim().parse().unwrap());
            if request.len() >= end + 4 + length {
                return Some(request);
            }
        }
        match client.read(&mut buffer) {
            Ok(count @ 1..) => request.extend_from_slice(&buffer[..count]),
            _ => return None,
        }
    }
}

/// The request, with the wish that the server hangs up after its answer.
fn closing(request: &[u8]) -> Vec<u8> {
    let end = request.windows(2).position(|window| window == b"\r\n").unwrap() + 2;
    let mut closing = request[..end].to_vec();
    closing.extend_from_slice(b"Connection: close\r\n");
    closing.extend_from_slice(&request[end..]);
    closing
}

/// The request without what makes it conditional.
fn stripped(request: &[u8]) -> Vec<u8> {
    let text = str::from_utf8(request).expect("the requests of this test are text");
    let strip =
        |text: &str, name: &str| text.replace(&format!("\r\n{name}:"), &format!("\r\nx-{name}:"));
    strip(&strip(text, "if-none-match"), "if-match").into_bytes()
}
