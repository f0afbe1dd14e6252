//! Tests of `#[derive(States)]`: its errors with their spans, and the code it generates.

use proc_macro2::TokenStream;

use super::expand;
use crate::root::Root;

fn expanded(text: &str) -> syn::Result<TokenStream> {
    expand(&syn::parse_str(text).unwrap(), Root::Parts)
}

fn errors(text: &str) -> Vec<String> {
    expanded(text).unwrap_err().into_iter().map(|error| error.to_string()).collect()
}

#[test]
fn every_state_without_a_handler_is_named() {
    let errors = errors("enum Order { #[handler(a)] A, B, C { size: u8 }, #[handler(d)] D }");
    let sentence =
        |name| format!("the state `{name}` has no handler: write `#[handler(function)]` above it");
    assert_eq!(errors, ["B", "C"].map(sentence));
}

#[test]
fn what_cannot_be_states_is_refused() {
    let cases = [
        ("struct Order;", "States is derived for an enum: one variant for each state"),
        ("enum Order {}", "`Order` has no variant, so a conversation could be in no state"),
        (
            "enum Order { #[handler(a)] #[handler(b)] A }",
            "the state `A` has two handlers; one is called",
        ),
    ];
    for (text, sentence) in cases {
        assert_eq!(errors(text), [sentence], "{text}");
    }
    for text in
        ["enum O { #[handler] A }", "enum O { #[handler(1)] A }", "enum O { #[handler(a, b)] A }"]
    {
        assert_eq!(errors(text).len(), 1, "{text}");
    }
}

#[test]
fn a_handler_gets_the_fields_in_the_order_of_their_writing() {
    let text = "enum Order { #[handler(a::b)] A { x: u8, y: u8 }, #[handler(c)] C(u8), #[handler(self.d)] D(u8) }";
    let code = expanded(text).unwrap().to_string();
    for part in [
        "Self :: A { x : __field_0 , y : __field_1 } =>",
        "a :: b (__turn , __field_0 , __field_1) . await",
        "Self :: C (__field_0) =>",
        "c (__turn , __field_0) . await",
        "__state @ Self :: D { .. } =>",
        "__state . d (__turn) . await",
        "impl :: sayso_dialog :: States for Order",
        "__turn : & mut :: sayso_turn :: Turn",
    ] {
        assert!(code.contains(part), "no `{part}` in {code}");
    }
    let facade = expand(&syn::parse_str(text).unwrap(), Root::Facade).unwrap().to_string();
    assert!(facade.contains("impl :: sayso :: dialog :: States for Order"), "{facade}");
    assert!(facade.contains("__turn : & mut :: sayso :: turn :: Turn"), "{facade}");
}
