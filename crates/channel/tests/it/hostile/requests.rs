//! Malformed heads and bodies.

use serde_json::json;

use super::{Row, SECRET, activity, post};

pub(super) fn rows(url: &str) -> Vec<Row> {
    let good = activity(url, json!({})).to_string();
    let mut rows = bodies(&good);
    rows.extend(kinds(&good));
    rows.extend(senders(&good));
    rows.extend(lengths(&good));
    rows.extend(heads(&good));
    rows.extend(paths(&good));
    rows
}

/// A request with this line, further headers, and a body of the right length.
fn request(line: &str, headers: &[(&str, &str)], body: &str) -> Vec<u8> {
    let mut head = format!("{line}\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    format!("{head}\r\n{body}").into_bytes()
}

const POST: &str = "POST /api/messages HTTP/1.1";
const HOST: (&str, &str) = ("host", "localhost");
const JSON: (&str, &str) = ("content-type", "application/json");

/// Bodies that are not a JSON object, or not strict JSON.
fn bodies(good: &str) -> Vec<Row> {
    let inside = good.strip_suffix('}').unwrap();
    let utf16: Vec<u8> = good.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let utf32: Vec<u8> = good.chars().flat_map(|letter| u32::from(letter).to_be_bytes()).collect();
    let text = |text: String| text.into_bytes();
    let bodies: Vec<(&str, Vec<u8>)> = vec![
        ("no body", vec![]),
        ("spaces", b" \r\n\t".to_vec()),
        ("null", b"null".to_vec()),
        ("a number", b"7".to_vec()),
        ("a text", text(format!("\"{SECRET}\""))),
        ("a list of activities", text(format!("[{good}]"))),
        ("a form", text(format!("type=message&text={SECRET}"))),
        ("XML", text(format!("<activity>{SECRET}</activity>"))),
        ("cut off", text(inside.to_owned())),
        ("cut off in a name", text(format!("{{\"{SECRET}"))),
        ("two activities", text(format!("{good}{good}"))),
        ("words behind it", text(format!("{good} {SECRET}"))),
        ("a comma too many", text(format!("{inside},}}"))),
        ("a comment", text(format!("{inside}/*{SECRET}*/}}"))),
        ("single quotes", text(good.replace('"', "'"))),
        ("names without quotes", b"{type:\"message\"}".to_vec()),
        ("NaN", text(format!("{inside},\"value\":NaN}}"))),
        ("Infinity", text(format!("{inside},\"value\":-Infinity}}"))),
        ("a number in hexadecimal", text(format!("{inside},\"value\":0x10}}"))),
        ("a number with a leading zero", text(format!("{inside},\"value\":007}}"))),
        ("1e400 as a text", text(format!("{inside},\"locale\":1e400}}"))),
        ("a control character in a text", text(good.replace(SECRET, "a\u{1}b"))),
        ("a line feed in a text", text(good.replace(SECRET, "a\nb"))),
        ("half a surrogate pair", text(good.replace(SECRET, "\\ud83d"))),
        ("the other half first", text(good.replace(SECRET, "\\udc00\\ud800"))),
        ("an escape that is none", text(good.replace(SECRET, "\\x41"))),
        ("a byte order mark", [b"\xef\xbb\xbf", good.as_bytes()].concat()),
        ("UTF-16", utf16.clone()),
        ("UTF-16 with its mark", [b"\xff\xfe".to_vec(), utf16].concat()),
        ("UTF-32", utf32),
        (
            "a byte that is not UTF-8",
            text(good.replace(SECRET, "x"))
                .iter()
                .map(|byte| if *byte == b'x' { 0xff } else { *byte })
                .collect(),
        ),
        ("an overlong slash", [inside.as_bytes(), b",\"locale\":\"\xc0\xaf\"}"].concat()),
        ("a surrogate in UTF-8", [inside.as_bytes(), b",\"locale\":\"\xed\xa0\x80\"}"].concat()),
        ("gzip that does not say so", b"\x1f\x8b\x08\x00\x00\x00\x00\x00".to_vec()),
        ("NUL before it", [b"\0", good.as_bytes()].concat()),
        ("NUL behind it", [good.as_bytes(), b"\0"].concat()),
    ];
    let row = |(name, body): (&str, Vec<u8>)| Row {
        name: format!("body: {name}"),
        bytes: post(&body),
        status: 400,
        code: "BadArgument",
    };
    bodies.into_iter().map(row).collect()
}

/// Unsupported content types and encodings; browsers send some of them without a CORS preflight.
fn kinds(good: &str) -> Vec<Row> {
    let kinds: Vec<(&str, Vec<(&str, &str)>)> = vec![
        ("none", vec![]),
        ("empty", vec![("content-type", "")]),
        ("plain text", vec![("content-type", "text/plain")]),
        ("plain text that mentions JSON", vec![("content-type", "text/plain; application/json")]),
        ("a form", vec![("content-type", "application/x-www-form-urlencoded")]),
        ("parts", vec![("content-type", "multipart/form-data; boundary=x")]),
        ("JSON of another kind", vec![("content-type", "application/merge-patch+json")]),
        ("scripts", vec![("content-type", "application/javascript")]),
        ("two at once", vec![("content-type", "text/plain, application/json")]),
        ("two headers", vec![JSON, ("content-type", "text/plain")]),
        ("two headers alike", vec![JSON, JSON]),
        ("gzip", vec![JSON, ("content-encoding", "gzip")]),
        ("br", vec![JSON, ("content-encoding", "br")]),
        ("deflate twice", vec![JSON, ("content-encoding", "deflate, deflate")]),
        ("identity", vec![JSON, ("content-encoding", "identity")]),
    ];
    let row = |(name, kind): (&str, Vec<(&str, &str)>)| Row {
        name: format!("content type: {name}"),
        bytes: request(POST, &[vec![HOST], kind].concat(), good),
        status: 415,
        code: "UnsupportedMediaType",
    };
    kinds.into_iter().map(row).collect()
}

/// Hosts and origins that are not this machine.
fn senders(good: &str) -> Vec<Row> {
    let senders: Vec<(&str, Vec<(&str, &str)>)> = vec![
        ("a foreign page", vec![HOST, ("origin", "https://c4n4ry.example")]),
        ("a page that looks local", vec![HOST, ("origin", "http://localhost.c4n4ry.example")]),
        ("no page in particular", vec![HOST, ("origin", "null")]),
        ("a page from a file", vec![HOST, ("origin", "file://")]),
        ("an extension", vec![HOST, ("origin", "chrome-extension://c4n4ry")]),
        (
            "two pages",
            vec![HOST, ("origin", "http://localhost"), ("origin", "http://c4n4ry.example")],
        ),
        ("a foreign name", vec![("host", "c4n4ry.example")]),
        ("a foreign name with a port", vec![("host", "c4n4ry.example:3978")]),
        ("a name that looks local", vec![("host", "localhost.c4n4ry.example")]),
        ("a user at a foreign name", vec![("host", "localhost@c4n4ry.example")]),
        ("an address of the network", vec![("host", "192.168.0.7")]),
        ("two names", vec![HOST, ("host", "c4n4ry.example")]),
        ("an empty name", vec![("host", "")]),
        ("no name", vec![]),
    ];
    let mut rows: Vec<Row> = senders
        .into_iter()
        .map(|(name, headers)| Row {
            name: format!("sender: {name}"),
            bytes: request(POST, &[vec![JSON], headers].concat(), good),
            status: 403,
            code: "Forbidden",
        })
        .collect();
    let line = "POST http://c4n4ry.example/api/messages HTTP/1.1";
    rows.push(Row {
        name: "sender: a foreign name in the line".to_owned(),
        bytes: request(line, &[HOST, JSON], good),
        status: 403,
        code: "Forbidden",
    });
    rows
}

/// Lengths that are too large or ambiguous (request smuggling).
fn lengths(good: &str) -> Vec<Row> {
    let (said, chunked) = ("content-length: 262145", "transfer-encoding: chunked");
    let large = " ".repeat(262_145);
    let chunks = format!("10000\r\n{}\r\n", " ".repeat(0x1_0000)).repeat(5);
    let twice = format!("content-length: {}\r\ncontent-length: 4", good.len());
    let signed = format!("content-length: +{}", good.len());
    let rows: Vec<(&str, &str, &str, u16, &'static str)> = vec![
        ("too large, said", said, "", 413, "RequestTooLarge"),
        ("too large by far", "content-length: 99999999999999", "", 413, "RequestTooLarge"),
        ("too large, sent", said, &large, 413, "RequestTooLarge"),
        ("too large in chunks", chunked, &chunks, 413, "RequestTooLarge"),
        ("said and not sent", "content-length: 10", "", 408, "RequestTimeout"),
        ("chunks without an end", chunked, "5\r\n{\"a\":\r\n", 408, "RequestTimeout"),
        ("a chunk that has no length", chunked, "zz\r\n", 400, "BadArgument"),
        ("a chunk of 2^64 bytes", chunked, "10000000000000000\r\n", 400, "BadArgument"),
        ("two lengths", &twice, good, 400, ""),
        ("a length of less than nothing", "content-length: -1", good, 400, ""),
        ("a length with a sign", &signed, good, 400, ""),
        ("a length that is no number", "content-length: many", good, 400, ""),
        ("a length of 2^64", "content-length: 18446744073709551616", good, 400, ""),
        ("another transfer encoding", "transfer-encoding: gzip", good, 400, ""),
        ("chunks and something else", "transfer-encoding: chunked, identity", good, 400, ""),
    ];
    let row = |(name, header, body, status, code)| Row {
        name: format!("length: {name}"),
        bytes: format!(
            "{POST}\r\nhost: localhost\r\nconnection: close\r\n\
             content-type: application/json\r\n{header}\r\n\r\n{body}"
        )
        .into_bytes(),
        status,
        code,
    };
    rows.into_iter().map(row).collect()
}

/// Heads that are not HTTP.
fn heads(good: &str) -> Vec<Row> {
    let with = |header: &str| {
        let length = good.len();
        format!(
            "{POST}\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n{header}\r\n\r\n{good}"
        )
    };
    let line = |line: &str| with("x: y").replacen(POST, line, 1);
    let many: String = (0..200).map(|index| format!("x-{index}: y\r\n")).collect();
    [
        ("a space in a name", with("x y: z"), 400),
        ("a space before the colon", with("x : z"), 400),
        ("no colon", with("xyz"), 400),
        ("no name", with(": z"), 400),
        ("NUL in a value", with("x: a\0b"), 400),
        ("a folded line", with("x: a\r\n b"), 400),
        ("a name in brackets", with("x(y): z"), 400),
        ("200 headers", with(many.trim_end()), 431),
        ("a header of 1 MB", with(&format!("x: {}", "y".repeat(1 << 20))), 431),
        ("a path of 1 MB", line(&format!("POST /{} HTTP/1.1", "y".repeat(1 << 20))), 431),
        ("no version", line("POST /api/messages"), 400),
        ("another version", line("POST /api/messages HTTP/9.9"), 400),
        ("no such protocol", line("POST /api/messages SMTP/1.1"), 400),
        ("a space in the path", line("POST /api/ messages HTTP/1.1"), 400),
        ("a method with a bracket", line("PO(ST /api/messages HTTP/1.1"), 400),
        ("not HTTP at all", "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\u{1}\r\n\r\n".to_owned(), 400),
    ]
    .into_iter()
    .map(|(name, text, status)| Row {
        name: format!("head: {name}"),
        bytes: text.into_bytes(),
        status,
        code: "",
    })
    .collect()
}

/// Paths and methods that do not exist.
fn paths(good: &str) -> Vec<Row> {
    let mut rows = Vec::new();
    for method in ["GET", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"] {
        let line = format!("{method} /api/messages HTTP/1.1");
        let bytes = request(&line, &[HOST, JSON], good);
        rows.push(Row { name: line, bytes, status: 405, code: "MethodNotAllowed" });
    }
    for path in [
        "/",
        "/api/messages/",
        "//api/messages",
        "/API/MESSAGES",
        "/api/messages/..",
        "/api/../api/messages",
        "/api/%6dessages",
        "/api/messages%00",
        "/api/messages;x=y",
        "/c4n4ry",
        "/.env",
        "/../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
    ] {
        let line = format!("POST {path} HTTP/1.1");
        let bytes = request(&line, &[HOST, JSON], good);
        rows.push(Row { name: line, bytes, status: 404, code: "NotFound" });
    }
    rows
}
