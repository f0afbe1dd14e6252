//! Tokens in the wrong place or in malformed headers.

use super::{Row, World};

pub(super) fn headers(world: &World) -> Vec<Row> {
    let token = world.token();
    let authorization = |value: String| vec![("authorization", value)];
    let good = || ("authorization", format!("Bearer {token}"));
    let mut rows = vec![
        Row::headers("no header", vec![]),
        Row::headers("two good headers", vec![good(), good()]),
        Row::headers("a good one and an empty one", vec![good(), ("authorization", String::new())]),
        Row::headers("a bad one first", vec![("authorization", "Basic eDp5".to_owned()), good()]),
        Row::headers("in a cookie", vec![("cookie", format!("token={token}"))]),
        Row::headers("as a proxy's", vec![("proxy-authorization", format!("Bearer {token}"))]),
        Row::headers("in another header", vec![("x-ms-token", token.clone())]),
        Row::headers("in the referer", vec![("referer", format!("https://a.example/?t={token}"))]),
    ];
    for (name, value) in [
        ("empty", String::new()),
        ("the scheme alone", "Bearer".to_owned()),
        ("the scheme and a space", "Bearer ".to_owned()),
        ("no scheme", token.clone()),
        ("lower case", format!("bearer {token}")),
        ("upper case", format!("BEARER {token}")),
        ("Basic", format!("Basic {token}")),
        ("Digest", format!("Digest {token}")),
        ("Token", format!("Token {token}")),
        ("Bearer twice", format!("Bearer Bearer {token}")),
        ("two spaces", format!("Bearer  {token}")),
        ("a tab", format!("Bearer\t{token}")),
        ("no space", format!("Bearer{token}")),
        ("a colon", format!("Bearer: {token}")),
        ("an equals sign", format!("Bearer token={token}")),
        ("quotes", format!("Bearer \"{token}\"")),
        ("two tokens", format!("Bearer {token} {token}")),
        ("two tokens with a comma", format!("Bearer {token},{token}")),
        ("two schemes", format!("Bearer {token}, Basic eDp5")),
        ("a space inside", format!("Bearer {} {}", &token[..40], &token[40..])),
        ("not ASCII", format!("Bearer {token}é")),
        ("a null character's escape", format!("Bearer {token}%00")),
        ("padding", format!("Bearer {token}=")),
        ("the other Base64", format!("Bearer {}", token.replacen('.', "+.", 1))),
        ("the word null", "Bearer null".to_owned()),
        ("the word undefined", "Bearer undefined".to_owned()),
        ("17 KB", format!("Bearer {}", "a".repeat(17 * 1024))),
        ("64 KB", format!("Bearer {token}{}", "a".repeat(64 * 1024))),
        ("only dots", format!("Bearer {}", ".".repeat(1000))),
    ] {
        rows.push(Row::headers(name, authorization(value)));
    }
    rows
}
