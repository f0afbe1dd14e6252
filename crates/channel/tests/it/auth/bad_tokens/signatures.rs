//! Tokens with a wrong algorithm, syntax or key.

use serde_json::{Value, json};

use super::{Row, World, endorsed};
use crate::{
    auth::forge::{EVIL, KEY, hmac, part, unsigned},
    support::with,
};

fn header(change: Value) -> String {
    with(json!({"alg": "RS256", "kid": "k1"}), change).to_string()
}

/// Wrong algorithms.
pub(super) fn algorithms(world: &World) -> Vec<Row> {
    let claims = world.claims().to_string();
    let good = world.token();
    let (_, signature) = good.rsplit_once('.').unwrap();
    let mut rows = Vec::new();
    for name in ["none", "None", "NONE", "nOnE"] {
        let text = unsigned(&header(json!({"alg": name})), &claims);
        rows.push(Row::token(format!("{name}, no signature"), &format!("{text}.")));
        rows.push(Row::token(format!("{name}, a signature"), &format!("{text}.{signature}")));
    }
    for (index, secret) in KEY.shapes().iter().enumerate() {
        let token = hmac("HS256", secret, &header(json!({"alg": "HS256"})), &claims);
        rows.push(Row::token(format!("HS256 with the public key, shape {index}"), &token));
    }
    for name in ["HS384", "HS512"] {
        let token = hmac(name, &KEY.shapes()[1], &header(json!({"alg": name})), &claims);
        rows.push(Row::token(format!("{name} with the public key"), &token));
    }
    // A header that says RS256 on a token that is signed with a shared secret.
    rows.push(Row::token("HS256 as RS256", &hmac("HS256", b"k1", &header(json!({})), &claims)));
    for name in ["PS256", "PS384", "PS512"] {
        let token = KEY.sign(name, &header(json!({"alg": name})), &claims);
        rows.push(Row::token(format!("{name}, well signed"), &token));
        let token = KEY.sign(name, &header(json!({})), &claims);
        rows.push(Row::token(format!("{name} as RS256"), &token));
    }
    for alg in [
        json!("ES256"),
        json!("ES384"),
        json!("ES512"),
        json!("ES256K"),
        json!("EdDSA"),
        json!("RS1"),
        json!("RSA-OAEP"),
        json!("dir"),
        json!("rs256"),
        json!("RS256 "),
        json!(""),
        json!(["RS256"]),
        json!(256),
        json!({"name": "RS256"}),
        json!(true),
        Value::Null,
    ] {
        let token = KEY.sign("RS256", &header(json!({"alg": alg})), &claims);
        rows.push(Row::token(format!("alg {alg}"), &token));
    }
    rows.push(Row::token(
        "RS384 signed as RS256",
        &KEY.sign("RS256", &header(json!({"alg": "RS384"})), &claims),
    ));
    rows.push(Row::token("RS256 signed as RS512", &KEY.sign("RS512", &header(json!({})), &claims)));
    let other = header(json!({"alg": "RS512", "kid": "only256"}));
    rows.push(Row::token("RS512 by a key for RS256", &KEY.sign("RS512", &other, &claims)));
    rows
}

/// Wrong syntax of the token.
pub(super) fn forms(world: &World) -> Vec<Row> {
    let claims = world.claims().to_string();
    let good = world.token();
    let (signed, signature) = good.rsplit_once('.').unwrap();
    let mut rows = Vec::new();
    for (name, text) in [
        ("alg twice, none last", r#"{"alg":"RS256","kid":"k1","alg":"none"}"#),
        ("alg twice, none first", r#"{"alg":"none","kid":"k1","alg":"RS256"}"#),
        ("kid twice", r#"{"alg":"RS256","kid":"k2","kid":"k1"}"#),
        ("header null", "null"),
        ("header a list", r#"["RS256","k1"]"#),
        ("header a text", r#""RS256""#),
        ("header empty", "{}"),
        ("header broken", r#"{"alg":"RS256","kid":"k1""#),
        ("header with more behind it", r#"{"alg":"RS256","kid":"k1"} {}"#),
    ] {
        rows.push(Row::token(name, &KEY.sign("RS256", text, &claims)));
    }
    for change in [
        json!({"crit": ["exp"]}),
        json!({"crit": []}),
        json!({"b64": false, "crit": ["b64"]}),
        json!({"b64": false}),
        json!({"b64": true}),
        json!({"zip": "DEF"}),
        json!({"enc": "A128GCM"}),
        json!({"cty": "JWT"}),
        json!({"typ": "JOSE"}),
        json!({"typ": "JWE"}),
        json!({"typ": 7}),
    ] {
        let name = format!("header with {change}");
        rows.push(Row::token(name, &KEY.sign("RS256", &header(change), &claims)));
    }
    let flipped =
        format!("{}{}", if signature.starts_with('A') { 'B' } else { 'A' }, &signature[1..]);
    let half = &signature[..signature.len() / 2];
    for (name, token) in [
        ("signature stripped", signed.to_owned()),
        ("signature empty", format!("{signed}.")),
        ("signature halved", format!("{signed}.{half}")),
        ("signature changed", format!("{signed}.{flipped}")),
        ("signature longer", format!("{good}AAAA")),
        ("signature of zeros", format!("{signed}.{}", part([0; 256]))),
        ("signature of ones", format!("{signed}.{}", part([255; 256]))),
        ("signature padded", format!("{good}==")),
        ("signature of another token", {
            let other = KEY.token("k1", &with(world.claims(), json!({"jti": "2"})));
            format!("{signed}.{}", other.rsplit_once('.').unwrap().1)
        }),
        ("four parts", format!("{good}.{signature}")),
        ("five parts", format!("{good}.a.b")),
        ("one part", "abc".to_owned()),
        ("empty parts", "..".to_owned()),
        ("parts too many and empty", "....".to_owned()),
        ("a dot before", format!(".{good}")),
        ("header not Base64", format!("!!!{}", &good[3..])),
        ("header not UTF-8", format!("{}.{}.{signature}", part([0xff, 0xfe]), part(&claims))),
    ] {
        rows.push(Row::token(name, &token));
    }
    rows
}

/// Wrong keys.
pub(super) fn keys(world: &World) -> Vec<Row> {
    let claims = world.claims().to_string();
    let mut rows = vec![
        Row::token("another key of the same name", &EVIL.token("k1", &world.claims())),
        Row::token("no kid", &KEY.sign("RS256", &header(json!({"kid": null})), &claims)),
    ];
    for kid in [
        json!("k2"),
        json!("K1"),
        json!("k1 "),
        json!(" k1"),
        json!(""),
        json!("k1\u{0}"),
        json!("k1\n"),
        json!("../k1"),
        json!("../../../etc/passwd"),
        json!("/dev/null"),
        json!("k1' OR '1'='1"),
        json!("\"k1\""),
        json!("k1;k2"),
        json!("*"),
        json!("ｋ1"),
        json!(1),
        json!(["k1"]),
        json!({"k1": "k1"}),
        json!(true),
        json!("k".repeat(257)),
        json!("k".repeat(4000)),
        json!("twin"),
        json!("enc"),
        json!("odd"),
        json!("oct"),
        json!("tiny"),
        json!("bare"),
        json!("text"),
    ] {
        let text: String = kid.to_string().chars().take(40).collect();
        let name = format!("kid {text} of {}", kid.to_string().len());
        rows.push(Row::token(name, &KEY.sign("RS256", &header(json!({"kid": kid})), &claims)));
    }
    let secret = hmac("HS256", b"secret", &header(json!({"alg": "HS256", "kid": "oct"})), &claims);
    rows.push(Row::token("a shared secret from the key set", &secret));
    let own = EVIL.jwk("k1", endorsed());
    for (member, value) in [
        ("jwk", own.clone()),
        ("x5c", json!([part(b"certificate")])),
        ("x5t", json!("abc")),
        ("jku", json!("https://evil.example/keys")),
        ("x5u", json!("https://evil.example/certificate")),
        ("jwks", json!({"keys": [own]})),
    ] {
        let header = header(json!({member: value}));
        let name = format!("a key of its own in {member}");
        rows.push(Row::token(name, &EVIL.sign("RS256", &header, &claims)));
    }
    rows
}
