//! Catalogue of a channel's faults, each with the expected outcome of the delivery.

use std::fmt;

use crate::support::sink::Act;

/// Expected outcome of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The channel accepted it.
    Delivered,
    /// The channel never will accept it.
    Refused,
    /// The channel certainly did not accept it; worth a retry.
    Later,
    /// The channel may have accepted it; retried, and counted.
    Unknown,
}

use Verdict::{Delivered, Later, Refused, Unknown};

/// One way to treat a request.
#[derive(Clone)]
pub(super) struct Fault {
    pub(super) name: String,
    pub(super) act: Act,
    pub(super) verdict: Verdict,
    /// Expected outcome for a deletion.
    pub(super) of_deletion: Verdict,
    /// True if the request is read at all.
    pub(super) is_read: bool,
    /// True if the channel accepted the request before it failed.
    pub(super) is_taken: bool,
}

impl Fault {
    fn new(name: &str, act: Act, verdict: Verdict) -> Self {
        let is_taken = verdict == Delivered;
        let name = name.to_owned();
        Self { name, act, verdict, of_deletion: verdict, is_read: true, is_taken }
    }

    fn taken(&self) -> Self {
        Self { name: format!("{}, taken", self.name), is_taken: true, ..self.clone() }
    }

    fn unread(&self) -> Self {
        Self { name: format!("{}, unread", self.name), is_read: false, ..self.clone() }
    }

    /// Reports whether the connection may end before anything was written: then the outcome is
    /// certain, not unknown.
    pub(super) fn may_be_early(&self) -> bool {
        matches!(self.act, Act::Reset) && !self.is_read
    }

    /// Reports whether it takes until the connector's timeout.
    pub(super) fn is_slow(&self) -> bool {
        matches!(self.act, Act::WriteAndHang(_))
    }
}

impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

const CODED: &str = r#"{"error":{"code":"BadArgument","message":"canary"}}"#;
const HTML: &str = "<html><h1>canary</h1></html>";

/// The status, the headers and the body of each answer that is one.
const ANSWERS: &[(Verdict, &str, &[&str], &str)] = &[
    (Delivered, "200 OK", &[], r#"{"id":"given"}"#),
    (Delivered, "200 OK", &[], ""),
    (Delivered, "200 OK", &[], "{}"),
    (Delivered, "200 OK", &["content-type: text/html"], HTML),
    (Delivered, "200 OK", &["content-type: application/json"], "{\"id\":"),
    (Delivered, "201 Created", &[], r#"{"id":"given"}"#),
    (Delivered, "202 Accepted", &[], ""),
    (Delivered, "204 No Content", &[], ""),
    (Refused, "300 X", &[], ""),
    (Refused, "301 X", &["location: /elsewhere"], ""),
    (Refused, "302 X", &["location: /elsewhere"], HTML),
    (Refused, "303 X", &["location: /elsewhere"], ""),
    (Refused, "304 X", &[], ""),
    (Refused, "307 X", &["location: /elsewhere"], ""),
    (Refused, "308 X", &["location: /elsewhere"], ""),
    (Refused, "400 X", &[], CODED),
    (Refused, "400 X", &[], HTML),
    (Refused, "400 X", &[], ""),
    (Refused, "401 X", &["www-authenticate: Bearer"], ""),
    (Refused, "402 X", &[], ""),
    (Refused, "403 X", &[], CODED),
    (Refused, "404 X", &[], CODED),
    (Refused, "404 X", &[], ""),
    (Refused, "405 X", &["allow: GET"], ""),
    (Refused, "406 X", &[], ""),
    (Refused, "409 X", &[], CODED),
    (Refused, "410 X", &[], ""),
    (Refused, "413 X", &[], HTML),
    (Refused, "415 X", &[], ""),
    (Refused, "422 X", &[], CODED),
    (Refused, "501 X", &[], ""),
    (Later, "412 X", &[], CODED),
    (Later, "429 X", &[], ""),
    (Later, "429 X", &["retry-after: 0"], CODED),
    (Later, "429 X", &["retry-after: 1"], ""),
    (Later, "429 X", &["retry-after: Sun, 06 Nov 1994 08:49:37 GMT"], ""),
    (Later, "429 X", &["retry-after: soon"], HTML),
    (Later, "503 X", &[], HTML),
    (Later, "503 X", &["retry-after: 1"], ""),
    (Unknown, "408 X", &[], ""),
    (Unknown, "500 X", &[], CODED),
    (Unknown, "500 X", &["retry-after: 1"], ""),
    (Unknown, "502 X", &[], HTML),
    (Unknown, "504 X", &[], ""),
    (Unknown, "599 X", &[], ""),
];

/// Malformed answers, after which the connection ends.
const BROKEN: &[(&str, &[u8])] = &[
    ("nothing", b""),
    ("another protocol", b"SSH-2.0-x\r\n\r\n"),
    ("half a status line", b"HTTP/1.1 20"),
    ("a status that is none", b"HTTP/1.1 abc OK\r\n\r\n"),
    ("a head without an end", b"HTTP/1.1 200 OK\r\ncontent-le"),
    ("bytes", &[0, 159, 146, 150, 255, 13, 10, 13, 10]),
    ("a page alone", b"<html>canary</html>\r\n\r\n"),
];

/// Successes with a broken body: the status decides.
const CUT: &[(&str, &[u8])] = &[
    ("a short body", b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{\"id\":\"gi"),
    ("broken chunks", b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n{\"id\""),
    ("missing chunks", b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{\"id\"\r\n"),
];

/// All faults.
pub(super) fn all() -> Vec<Fault> {
    let mut faults = Vec::new();
    for (verdict, status, headers, body) in ANSWERS {
        let name = format!("{status} {headers:?} {body:?}");
        let mut fault = Fault::new(&name, Act::answer(status, headers, body), *verdict);
        if status.starts_with("404") || status.starts_with("410") {
            fault.of_deletion = Delivered;
        }
        if *verdict == Unknown {
            faults.push(fault.taken());
        }
        faults.push(fault);
    }
    for (name, bytes) in BROKEN {
        let fault = Fault::new(name, Act::Write(bytes.to_vec()), Unknown);
        faults.extend([fault.taken(), fault]);
    }
    for (name, bytes) in CUT {
        faults.push(Fault::new(name, Act::Write(bytes.to_vec()), Delivered));
    }
    let hangs = Fault::new("no answer", Act::WriteAndHang(vec![]), Unknown);
    let stalls = Act::WriteAndHang(b"HTTP/1.1 200 OK\r\ncont".to_vec());
    let stalls = Fault::new("no whole answer", stalls, Unknown);
    let trickles = b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{".to_vec();
    let trickles = Fault::new("no whole body", Act::WriteAndHang(trickles), Delivered);
    let resets = Fault::new("reset", Act::Reset, Unknown);
    faults.extend([hangs.taken(), hangs.unread(), hangs, stalls.taken(), stalls, trickles]);
    faults.extend([resets.taken(), resets.unread(), resets]);
    faults
}
