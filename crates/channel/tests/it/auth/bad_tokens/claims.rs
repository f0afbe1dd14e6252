//! Tokens with wrong claims, and tokens that do not fit the activity.

use serde_json::{Value, json};

use super::{Row, World};
use crate::{
    auth::{
        forge::{KEY, part},
        world::{APP, ISSUER, NOW, SERVICE},
    },
    support::with,
};

const HEADER: &str = r#"{"alg":"RS256","kid":"k1"}"#;

fn changed(good: &Value, name: &str, value: &Value) -> Row {
    let text: String = value.to_string().chars().take(60).collect();
    let token = KEY.token("k1", &with(good.clone(), json!({name: value})));
    Row::token(format!("{name} {text}"), &token)
}

/// Wrong audience and issuer.
pub(super) fn parties(world: &World) -> Vec<Row> {
    let good = world.claims();
    let changed = |name: &str, value: Value| changed(&good, name, &value);
    let mut rows = Vec::new();
    for aud in [
        json!("22222222-aaaa-2222-bbbb-333333333333"),
        json!(APP.to_uppercase()),
        json!(format!("{APP} ")),
        json!(&APP[..35]),
        json!(format!("{APP}0")),
        json!(""),
        json!([APP]),
        json!([APP, "other"]),
        json!(["other", APP]),
        json!(["other"]),
        json!([]),
        json!(7),
        json!({"app": APP}),
        json!("https://api.botframework.com"),
        Value::Null,
    ] {
        rows.push(changed("aud", aud));
    }
    for iss in [
        json!("https://evil.example"),
        json!("https://issuer.example.evil.example"),
        json!("https://issuer.example/"),
        json!("http://issuer.example"),
        json!("https://ISSUER.example"),
        json!(" https://issuer.example"),
        json!(""),
        json!([ISSUER]),
        json!(7),
        json!("https://api.botframework.com"),
        json!("https://api.botframework.us"),
        json!("https://api.botframework.azure.cn"),
        json!("https://sts.windows.net/d6d49420-f39b-4df7-a1dc-d59a935871db/"),
        json!("https://login.microsoftonline.com/d6d49420-f39b-4df7-a1dc-d59a935871db/v2.0"),
        Value::Null,
    ] {
        rows.push(changed("iss", iss));
    }
    rows
}

/// Wrong validity period, and claims of the wrong type.
pub(super) fn times(world: &World) -> Vec<Row> {
    let good = world.claims();
    let changed = |name: &str, value: Value| changed(&good, name, &value);
    let mut rows = Vec::new();
    for exp in [
        json!(NOW - 301),
        json!(NOW - 86_400),
        json!(0),
        json!(-1),
        json!(1e308),
        json!(format!("{}", NOW + 3600)),
        json!(1_800_003_600.5),
        json!(true),
        json!([NOW + 3600]),
        json!("never"),
        Value::Null,
    ] {
        rows.push(changed("exp", exp));
    }
    for nbf in [
        json!(NOW + 301),
        json!(NOW + 86_400),
        json!(u64::MAX),
        json!(-1),
        json!(1e308),
        json!(format!("{}", NOW - 60)),
        json!(false),
        json!([0]),
        Value::Null,
    ] {
        rows.push(changed("nbf", nbf));
    }
    for claimed in [json!(7), json!([SERVICE]), json!({"url": SERVICE})] {
        rows.push(changed("serviceurl", claimed));
    }
    rows
}

/// Ambiguous JSON.
pub(super) fn texts(world: &World) -> Vec<Row> {
    let good = world.claims();
    let mut rows = Vec::new();
    // A valid text with a duplicate member: parsers differ in which of the two they use.
    for (name, value) in [
        ("aud", json!(APP)),
        ("aud", json!("other")),
        ("iss", json!(ISSUER)),
        ("exp", json!(NOW + 9)),
        ("nbf", json!(0)),
        ("serviceurl", json!("https://evil.example")),
    ] {
        let text = good.to_string();
        let twice = format!("{},\"{name}\":{value}}}", text.strip_suffix('}').unwrap());
        rows.push(Row::token(format!("{name} twice: {value}"), &KEY.sign("RS256", HEADER, &twice)));
    }
    for (name, text) in [
        ("claims null", "null".to_owned()),
        ("claims empty", "{}".to_owned()),
        ("claims a text", good.to_string().replace('"', "'")),
        ("claims a list", json!([ISSUER, APP, NOW + 9, NOW, SERVICE]).to_string()),
        ("claims a list of them", json!([good]).to_string()),
        ("claims with more behind them", format!("{good} {good}")),
        ("a token in a token", world.token()),
        ("a token in a token, as text", json!(world.token()).to_string()),
        ("claims 1e400", good.to_string().replace("1800003600", "1e400")),
        ("no claims", String::new()),
    ] {
        rows.push(Row::token(name, &KEY.sign("RS256", HEADER, &text)));
    }
    let bytes = format!("{}.{}", part(HEADER), part([0xc3, 0x28]));
    rows.push(Row::token("claims not UTF-8", &format!("{bytes}.{}", part([1; 256]))));
    rows
}

/// Wrong service URL and channel.
pub(super) fn bound(world: &World) -> Vec<Row> {
    let good = world.claims();
    let claimed = |value: Value| {
        let token = KEY.token("k1", &with(good.clone(), json!({"serviceurl": value})));
        Row::token(format!("serviceurl {value}"), &token).forbidden()
    };
    let mut rows: Vec<Row> = [
        Value::Null,
        json!(""),
        json!("https://evil.example/emea/"),
        json!("https://smba.channel.example.evil.example/emea/"),
        json!("http://smba.channel.example/emea/"),
        json!("https://smba.channel.example/"),
        json!("https://smba.channel.example/emea/x"),
        json!("https://smba.channel.example/emea//"),
        json!("https://smba.channel.example/emea"),
        json!("https://smba.channel.example/EMEA/"),
        json!("https://SMBA.channel.example/emea/"),
        json!("HTTPS://smba.channel.example/emea/"),
        json!("https://smba.channel.example:443/emea/"),
        json!("https://smba.channel.example:8443/emea/"),
        json!("https://u@smba.channel.example/emea/"),
        json!("https://smba.channel.example/emea/#"),
        json!("https://smba.channel.example/emea/?a"),
        json!("https:\\\\smba.channel.example/emea/"),
        json!("https://smba.channel.example\\@evil.example/emea/"),
        json!("https://ѕmba.channel.example/emea/"),
        json!(" https://smba.channel.example/emea/"),
        json!("smba.channel.example/emea/"),
        json!("*"),
    ]
    .into_iter()
    .map(claimed)
    .collect();
    // The same URL in claim and activity, but parsers disagree on its host.
    for url in [
        "https://u@smba.channel.example/emea/",
        "https://smba.channel.example/emea/#x",
        "https://smba.channel.example\\@evil.example/",
        "https://smbä.channel.example/",
    ] {
        let mut row = claimed(json!(url)).with(json!({"serviceUrl": url}), 403);
        row.name = format!("serviceurl {url} in both");
        rows.push(row);
    }
    rows.extend(replayed(&world.token()));
    rows.extend([
        Row::token("a key without endorsements", &KEY.token("silent", &good)).forbidden(),
        Row::token("a key with none", &KEY.token("none", &good)).forbidden(),
    ]);
    // A verified URL that is not on the bot's own allow-list.
    let other = json!("https://elsewhere.example/");
    let token = KEY.token("k1", &with(good.clone(), json!({"serviceurl": other})));
    let row = Row::token("a channel's URL that is not on the list", &token);
    rows.push(row.with(json!({"serviceUrl": other}), 400));
    rows
}

/// A good token that is replayed with another activity.
fn replayed(token: &str) -> Vec<Row> {
    let sent = |name: &str, change: Value, status| Row::token(name, token).with(change, status);
    vec![
        sent(
            "replayed for another service URL",
            json!({"serviceUrl": "https://b.channel.example"}),
            403,
        ),
        sent("replayed for no service URL", json!({"serviceUrl": null}), 400),
        sent("replayed for an empty service URL", json!({"serviceUrl": ""}), 400),
        sent("replayed for a blank service URL", json!({"serviceUrl": " "}), 400),
        sent(
            "service URL without its slash",
            json!({"serviceUrl": SERVICE.trim_end_matches('/')}),
            403,
        ),
        sent("service URL in upper case", json!({"serviceUrl": SERVICE.to_uppercase()}), 403),
        sent("replayed for another channel", json!({"channelId": "slack"}), 403),
        sent("channel in other case", json!({"channelId": "MSTeams"}), 403),
        sent("channel with a space", json!({"channelId": "msteams "}), 403),
        sent("two channels in one", json!({"channelId": "msteams,webchat"}), 403),
        sent("a channel without an endorsement", json!({"channelId": "emulator"}), 403),
        sent("channel empty", json!({"channelId": ""}), 400),
        sent("channel blank", json!({"channelId": " "}), 400),
        sent("a conversation of ours", json!({"conversation": {"id": "sayso:begin:1"}}), 400),
        sent("channel null", json!({"channelId": null}), 400),
        sent("channel a number", json!({"channelId": 7}), 400),
        sent("channel a list", json!({"channelId": ["msteams"]}), 400),
    ]
}
