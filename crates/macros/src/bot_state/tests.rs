//! Tests of `#[derive(BotState)]`: its errors with their spans, and the code it generates.

use super::expand;
use crate::root::Root;

fn expanded(text: &str, root: Root) -> syn::Result<String> {
    expand(&syn::parse_str(text).unwrap(), root).map(|code| code.to_string())
}

#[test]
fn what_is_wrong_is_said_and_what_to_do() {
    let cases = [
        ("struct O;", "`O` has no version: write `#[state(version = 1)]` above it"),
        ("#[state()] struct O;", "`O` has no version"),
        ("#[state(version = 0)] struct O;", "the first version is 1"),
        ("#[state(version = -1)] struct O;", "invalid digit found in string"),
        ("#[state(version = 1, version = 1)] struct O;", "the version is given twice"),
        (
            "#[state(version = 3, upcast(1 = a))] struct O;",
            "version 2 has no upcaster: add `2 = function` to `upcast(...)`; the function makes version 3 of it",
        ),
        ("#[state(version = 2)] struct O;", "version 1 has no upcaster"),
        (
            "#[state(version = 2, upcast(1 = a, 2 = b))] struct O;",
            "an upcaster starts from an older version, and 2 is the current one",
        ),
        ("#[state(version = 2, upcast(0 = z, 1 = a))] struct O;", "the first version is 1"),
        (
            "#[state(version = 2, upcast(1 = a, 1 = b))] struct O;",
            "version 1 has an upcaster already",
        ),
        (
            "#[state(version = 1, downcast(2 = a))] struct O;",
            "there are `name = \"order\"`, `version = 3`, `upcast(",
        ),
        ("#[state(name = \"o\", name = \"o\")] struct O;", "the name is given twice"),
        ("#[state(name = \"\", version = 1)] struct O;", "the name of a property is not empty"),
        ("#[state(name = \"$sayso\", version = 1)] struct O;", "the name of a property is not"),
        ("#[state(name = 7, version = 1)] struct O;", "expected string literal"),
        ("#[state(name = \"o\")] struct O;", "`O` has no version"),
        ("#[state(version = 1, ttl = \"1d\", ttl = \"1d\")] struct O;", "the TTL is given twice"),
        ("#[state(ttl = \"1d\")] struct O;", "`O` has no version"),
        ("#[state(version = 1, ttl = 30)] struct O;", "expected string literal"),
        (
            "#[state(version = 1)] union O { a: u8, b: u8 }",
            "a union cannot be state: nobody knows which of its fields is in use",
        ),
        (
            "#[state(version = 1)] struct O<'a> { a: &'a str }",
            "state owns its data: a type with a lifetime cannot be BotState",
        ),
        (
            "#[state(version = 1)] #[serde(rename_all = \"lowercase\", into = \"X\")] struct O;",
            "`#[serde(into)]` on the type does not go together with BotState",
        ),
        (
            "#[state(version = 1)] struct O { #[serde(rename = \"$version\")] a: u8 }",
            "the member `$version` is where the version is kept: name the field otherwise",
        ),
    ];
    for (text, sentence) in cases {
        let error = expanded(text, Root::Parts).unwrap_err();
        assert!(error.to_string().starts_with(sentence), "{text}: {error}");
    }
}

#[test]
fn the_remote_definition_has_the_fields_and_what_serde_is_told_of_them() {
    let text = "#[state(version = 2, upcast(1 = a::b))] #[serde(rename_all = \"camelCase\")]
        /// Not for serde.
        struct O<T: Clone> { #[serde(default)] a: Vec<T>, /** Nor this. */ b: Option<Box<Self>> }";
    let code = expanded(text, Root::Parts).unwrap();
    for part in [
        r#"#[serde (crate = "::sayso_turn::versioned::private::serde" , remote = "O")]"#,
        r#"#[serde (rename = "O")] #[serde (rename_all = "camelCase")]"#,
        "struct __StoredO < T : Clone > { # [serde (default)] a : Vec < T > , b : Option < Box < O < T > > > }",
        "1u32 => :: sayso_turn :: versioned :: private :: step (a :: b , value)",
        "const NAME : & 'static str = \"O\" ;",
        "const VERSION : u32 = 2u32 ;",
        "const IS_WRAPPED : bool = false ;",
    ] {
        let part = part.replace("#[", "# [");
        assert!(code.contains(&part), "no `{part}` in {code}");
    }
    assert!(!code.contains("Not for serde") && !code.contains("Nor this"), "{code}");
    let facade = expanded(text, Root::Facade).unwrap();
    assert!(facade.contains("\"::sayso::turn::versioned::private::serde\""), "{facade}");
    assert!(!facade.contains("sayso_turn"), "{facade}");
}

#[test]
fn only_an_object_of_fields_has_its_version_beside_them() {
    let shapes = [
        ("struct O { a: u8 }", false),
        ("struct O {}", false),
        ("struct O(u8);", true),
        ("struct O;", true),
        ("enum O { A, B { c: u8 } }", true),
        ("#[serde(transparent)] struct O { a: u8 }", true),
    ];
    for (shape, is_wrapped) in shapes {
        let code = expanded(&format!("#[state(version = 1)] {shape}"), Root::Parts).unwrap();
        assert!(code.contains(&format!("IS_WRAPPED : bool = {is_wrapped}")), "{shape}");
    }
}

#[test]
fn a_ttl_is_a_whole_number_and_a_unit_and_neither_short_nor_endless() {
    let code = |ttl: &str| {
        let text = format!("#[state(version = 1, ttl = \"{ttl}\")] struct O {{ a: u8 }}");
        expanded(&text, Root::Parts)
    };
    let written =
        [("60s", 60), ("1m", 60), ("36h", 129_600), ("30d", 2_592_000), ("2w", 1_209_600)];
    for (text, seconds) in written {
        let code = code(text).unwrap();
        assert!(code.contains(&format!("Duration :: from_secs ({seconds}u64)")), "{text}: {code}");
    }
    let form = "a TTL is a whole number and a unit: s, m, h, d or w, as in \"30d\"";
    for (text, reason) in [
        ("", form),
        ("30", form),
        ("d", form),
        ("1.5d", form),
        ("-1d", form),
        ("+1d", form),
        ("1 d", form),
        ("30 days", form),
        ("1M", form),
        ("1é", form),
        ("59s", "a TTL is at least a minute: write \"1m\""),
        ("0w", "a TTL is at least a minute: write \"1m\""),
        ("36501d", "a TTL is at most 36500d, which is a hundred years"),
        ("99999999999999999999999w", "a TTL is at most 36500d, which is a hundred years"),
    ] {
        assert_eq!(code(text).unwrap_err().to_string(), reason, "{text}");
    }
    let without = expanded("#[state(version = 1)] struct O { a: u8 }", Root::Parts).unwrap();
    assert!(!without.contains("TTL"), "{without}");
}

#[test]
fn a_fixed_name_is_the_name_of_the_property() {
    let text = "#[state(name = \"order\", version = 1)] struct O;";
    let code = expanded(text, Root::Parts).unwrap();
    assert!(code.contains("const NAME : & 'static str = \"order\" ;"), "{code}");
    assert!(code.contains("FIXED_NAME"), "{code}");
    let code = expanded("#[state(version = 1)] struct O;", Root::Parts).unwrap();
    assert!(!code.contains("FIXED_NAME"), "{code}");
}
