//! Bodies as the SDKs write them, read and written back.

use super::*;

/// As the C# SDK writes: types everywhere, lists wrapped.
const DOTNET_BODY: &str = r#"{"$type":"System.Collections.Generic.Dictionary`2[[System.String, System.Private.CoreLib],[System.Object, System.Private.CoreLib]], System.Private.CoreLib","profile":{"$type":"Bot.Profile, Bot","Name":"Zoë","Age":1.0},"DialogState":{"$type":"Microsoft.Bot.Builder.Dialogs.DialogState, Microsoft.Bot.Builder.Dialogs","dialogStack":{"$type":"System.Collections.Generic.List`1[[Microsoft.Bot.Builder.Dialogs.DialogInstance, Microsoft.Bot.Builder.Dialogs]], System.Private.CoreLib","$values":[{"$type":"Microsoft.Bot.Builder.Dialogs.DialogInstance, Microsoft.Bot.Builder.Dialogs","id":"root","state":{"$type":"System.Collections.Generic.Dictionary`2[[System.String, System.Private.CoreLib],[System.Object, System.Private.CoreLib]], System.Private.CoreLib","n":1}}]}}}"#;

fn read_json(layout: Layout, text: &str) -> serde_json::Value {
    serde_json::from_str(&read(layout, text.to_owned()).unwrap()).unwrap()
}

/// Reads a body, changes its text and writes it back.
fn changed(layout: Layout, text: &str, from: &str, to: &str) -> Result<String, String> {
    let body = read(layout, text.to_owned()).unwrap();
    assert!(body.contains(from), "{body}");
    write(layout, body.replacen(from, to, 1))
}

#[test]
fn what_nobody_changed_is_written_as_it_was() {
    let legacy = r#"{"id":"a%2Fb","realId":"a/b","document":{"p":{"n":1.0}}}"#;
    for (layout, text) in [
        (Layout::Sayso, "not even JSON"),
        (Layout::Dotnet, DOTNET_BODY),
        (Layout::Sample, DOTNET_BODY),
        (Layout::Js, r#"{"p":{"n":1.0,"t":"é"},"q":[1,{"$type":"x"}]}"#),
        (Layout::Js, legacy),
        (Layout::Python, r#"{"p":{"py/object":"bots.P","n":1e5,"t":{"py/tuple":[1]}},"q":[]}"#),
        (Layout::Python, r#"{"l":[{"py/object":"a.A","n":1},{"py/object":"a.B","n":1.5}]}"#),
        (Layout::Sample, r#"{"dialogs":"{\"py/object\": \"x\"}"}"#),
    ] {
        let body = read(layout, text.to_owned()).unwrap();
        assert_eq!(write(layout, body).unwrap(), text, "{layout}");
    }
}

#[test]
fn types_are_out_of_the_way_and_lists_are_lists() {
    let read = read_json(Layout::Dotnet, DOTNET_BODY);
    assert_eq!(read["profile"], serde_json::json!({"Name": "Zoë", "Age": 1.0}));
    assert_eq!(read["DialogState"]["dialogStack"][0]["id"], "root");
    assert_eq!(read["DialogState"]["dialogStack"][0]["state"], serde_json::json!({"n": 1}));
    assert_eq!(read.get("$type"), None);
    let read = read_json(Layout::Js, r#"{"id":"x","realId":"y","document":{"p":1,"eTag":"*"}}"#);
    assert_eq!(read["p"], 1);
    assert_eq!(read.get("eTag"), None);
    let read = read_json(Layout::Python, r#"{"p":{"py/object":"bots.P","n":1},"e_tag":"0x1"}"#);
    assert_eq!(read["p"], serde_json::json!({"n": 1}));
    assert_eq!(read.get("e_tag"), None);
}

#[test]
fn a_changed_value_keeps_its_type() {
    let written = changed(Layout::Dotnet, DOTNET_BODY, "Zoë", "Ada").unwrap();
    assert!(
        written.contains(r#"{"$type":"Bot.Profile, Bot","Name":"Ada","Age":1.0}"#),
        "{written}"
    );
    // An item that is put in front has the shape of its neighbour, and so its type.
    let pushed = r#"[{"id":"top","state":{"x":[2]}},{"id":"root""#;
    let written = changed(Layout::Dotnet, DOTNET_BODY, r#"[{"id":"root""#, pushed).unwrap();
    let instance = "DialogInstance, Microsoft.Bot.Builder.Dialogs\",\"id\":\"";
    assert!(written.contains(&format!("{instance}top")), "{written}");
    assert!(written.contains(&format!("{instance}root")), "{written}");
    // A dictionary keeps its type with other members, a list of ours gets none.
    assert!(written.contains(r#"System.Private.CoreLib","x":[2]}"#), "{written}");
}

#[test]
fn a_value_of_another_shape_gets_no_type() {
    let written =
        changed(Layout::Dotnet, DOTNET_BODY, r#""Name":"Zoë","#, r#""Nick":"Z","#).unwrap();
    assert!(written.contains(r#""profile":{"Nick":"Z","Age":1.0}"#), "{written}");
}

#[test]
fn types_of_one_shape_come_back_to_the_values_that_did_not_change() {
    let two =
        r#"{"l":[{"py/object":"a.A","n":1},{"py/object":"a.B","n":2},{"py/object":"a.A","n":3}]}"#;
    let written = changed(Layout::Python, two, r#"{"n":1},"#, "").unwrap();
    assert_eq!(written, r#"{"l":[{"py/object":"a.B","n":2},{"py/object":"a.A","n":3}]}"#);
    let written = changed(Layout::Python, two, r#"{"n":1}"#, r#"{"n":9}"#).unwrap();
    assert!(written.starts_with(r#"{"l":[{"n":9},{"py/object":"a.B""#), "{written}");
}

#[test]
fn our_property_is_a_text_to_the_sdk_and_comes_back() {
    for layout in [Layout::Dotnet, Layout::Js, Layout::Python, Layout::Sample] {
        let body = r#"{"p":1,"$sayso":{"v":1,"outbox":[{"$type":"é","py/object":"os.system"}]}}"#;
        let written = write(layout, body.to_owned()).unwrap();
        assert!(written.is_ascii() && written.contains(r#""$sayso":"{\"v\":1,"#), "{written}");
        let read = read_json(layout, &written);
        assert_eq!(read, serde_json::from_str::<serde_json::Value>(body).unwrap());
    }
    assert!(read(Layout::Js, r#"{"$sayso":"{"}"#.to_owned()).unwrap_err().contains("damaged"));
}

#[test]
fn a_type_that_somebody_else_names_is_never_written() {
    for (layout, body) in [
        (Layout::Dotnet, r#"{"p":{"$type":"System.Windows.Data.ObjectDataProvider"}}"#),
        (Layout::Sample, r#"{"p":[{"deep":{"$ref":"1"}}]}"#),
        (Layout::Python, r#"{"p":{"py/object":"subprocess.Popen"}}"#),
        (Layout::Python, r#"{"p":{"py/reduce":[]}}"#),
    ] {
        let error = write(layout, body.to_owned()).unwrap_err();
        assert!(error.contains("rename it"), "{error}");
    }
    // Also where a type was, if it is not in the place of the type.
    let injected = r#""Name":{"$type":"Evil"}"#;
    assert!(changed(Layout::Dotnet, DOTNET_BODY, r#""Name":"Zoë""#, injected).is_err());
    let body = r#"{"p":{"$type":"no matter here"}}"#;
    assert_eq!(write(Layout::Js, body.to_owned()).unwrap(), body);
}

#[test]
fn numbered_references_stay_right_or_are_refused() {
    let text = r#"{"a":{"py/object":"m.P","t":["x"]},"n":1,"b":{"py/id":1},"z":{}}"#;
    let written = changed(Layout::Python, text, r#""n":1"#, r#""n":2"#).unwrap();
    assert_eq!(written, text.replace(r#""n":1"#, r#""n":2"#));
    assert!(changed(Layout::Python, text, r#""z":{}"#, r#""z":{"more":{}}"#).is_ok());
    for (from, to) in [(r#""n":1"#, r#""n":[]"#), (r#"["x"]"#, "0")] {
        let error = changed(Layout::Python, text, from, to).unwrap_err();
        assert!(error.contains("py/id"), "{error}");
    }
}

#[test]
fn a_body_that_is_not_an_object_is_an_error() {
    for layout in [Layout::Dotnet, Layout::Js, Layout::Python, Layout::Sample] {
        // A JavaScript client that counts characters for bytes cuts the end off.
        for text in ["", "{\"a\":\"é", "[]", "null", "1"] {
            assert!(read(layout, text.to_owned()).is_err(), "{layout} {text}");
        }
        assert!(write(layout, "[]".to_owned()).is_err());
        assert_eq!(read(layout, "\u{feff}{}".to_owned()).unwrap(), "{}");
    }
}
