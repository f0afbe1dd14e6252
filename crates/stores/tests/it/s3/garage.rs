//! A server that answers as Garage 2.5 does: success to every condition, kept or not.

use std::{
    collections::BTreeMap,
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

use sayso_stores::S3Store;
use sayso_turn::store::Error;

use super::config;

type Objects = Arc<Mutex<BTreeMap<String, Vec<u8>>>>;

/// Starts it on a port of its own; it ends with the process of the test.
fn start() -> (String, Objects) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = listener.local_addr().unwrap().to_string();
    let objects = Objects::default();
    let shared = Arc::clone(&objects);
    let _thread = thread::spawn(move || {
        for client in listener.incoming() {
            let objects = Arc::clone(&shared);
            let _thread = thread::spawn(move || serve(client.unwrap(), &objects));
        }
    });
    (endpoint, objects)
}

fn serve(mut client: TcpStream, objects: &Objects) {
    let (mut request, mut buffer) = (Vec::new(), [0; 65_536]);
    let (head, body) = loop {
        let Ok(count @ 1..) = client.read(&mut buffer) else { return };
        request.extend_from_slice(&buffer[..count]);
        let Some(end) = request.windows(4).position(|window| window == b"\r\n\r\n") else {
            continue;
        };
        let head = String::from_utf8(request[..end].to_vec()).unwrap();
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().unwrap())
        });
        let length: usize = length.unwrap_or(0);
        if request.len() >= end + 4 + length {
            break (head, request[end + 4..end + 4 + length].to_vec());
        }
    };
    let mut words = head.split_whitespace();
    let (method, target) = (words.next().unwrap(), words.next().unwrap());
    let name = target.split('?').next().unwrap().to_owned();
    let mut objects = objects.lock().unwrap();
    let (status, answer) = match method {
        "PUT" => {
            drop(objects.insert(name, body));
            ("200 OK", String::new())
        }
        "DELETE" => {
            drop(objects.remove(&name));
            ("204 No Content", String::new())
        }
        _ => ("200 OK", "<ListBucketResult><Name>b</Name></ListBucketResult>".to_owned()),
    };
    let length = answer.len();
    let answer = format!(
        "HTTP/1.1 {status}\r\nETag: \"d41d8cd98f00b204e9800998ecf8427e\"\r\n\
         Content-Length: {length}\r\nConnection: close\r\n\r\n{answer}"
    );
    drop(client.write_all(answer.as_bytes()));
}

#[tokio::test]
async fn a_server_that_says_yes_to_every_condition_is_refused() {
    let (endpoint, objects) = start();
    let config = config(&format!("s3://garage/bots?endpoint=http://{endpoint}"));
    let error = S3Store::open(config.with_credentials("test", "test")).await.unwrap_err();
    assert!(matches!(error, Error::Invalid { .. }), "{error:?}");
    assert!(error.to_string().contains("ignores the conditions of writes"), "{error}");
    assert!(objects.lock().unwrap().is_empty(), "the probe is removed");
}
