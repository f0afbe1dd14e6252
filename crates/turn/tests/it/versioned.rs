//! State with a version: what is stored, what is read, what is refused.

use std::{collections::BTreeMap, marker::PhantomData};

use sayso_turn::{
    BotError, BotState,
    activity::Raw,
    versioned::{Unreadable, as_is, read},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

fn to_json<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap()
}

/// Reads a text, writes it again.
fn again<T: Serialize + DeserializeOwned>(text: &str) -> Result<String, String> {
    let value: T = serde_json::from_str(text).map_err(|error| error.to_string())?;
    Ok(to_json(&value))
}

#[derive(Debug, Default, PartialEq, BotState)]
#[state(version = 3, upcast(1 = from_v1, 2 = from_v2))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Order {
    all_toppings: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    size: Option<Size>,
    #[serde(skip)]
    scratch: u32,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Size {
    Small,
    Large,
}

/// Version 1 knew one topping.
fn from_v1(mut order: Value) -> Result<Value, BotError> {
    let topping = order.get_mut("topping").ok_or("no topping")?.take();
    Ok(json!({ "toppings": [topping] }))
}

/// Version 2 had another name for them.
fn from_v2(mut order: Value) -> serde_json::Result<Value> {
    Ok(json!({ "allToppings": order["toppings"].take(), "size": order["size"].take() }))
}

const CURRENT: &str = r#"{"$version":3,"allToppings":["olives"],"size":"Large"}"#;

#[test]
fn a_struct_is_stored_with_its_version_first() {
    let order = Order { all_toppings: vec!["olives".into()], size: Some(Size::Large), scratch: 7 };
    assert_eq!(to_json(&order), CURRENT);
    let same: Order = serde_json::from_str(CURRENT).unwrap();
    assert_eq!(same, Order { scratch: 0, ..order });
}

#[test]
fn older_versions_come_up_step_by_step() {
    let versions = [
        r#"{"topping":"olives"}"#,
        r#"{"$version":1,"topping":"olives"}"#,
        r#"{"topping":"olives","$version":1}"#,
        r#"{"$version":2,"toppings":["olives"]}"#,
        r#"{"toppings":["olives"],"size":null,"$version":2}"#,
        r#"{"allToppings":["olives"],"$version":3}"#,
    ];
    for text in versions {
        let current = again::<Order>(text).unwrap();
        assert_eq!(current, r#"{"$version":3,"allToppings":["olives"]}"#, "{text}");
    }
}

#[test]
fn what_does_not_fit_is_refused_and_says_why() {
    let cases = [
        (r#"{"$version":3,"allToppings":7}"#, "invalid type: integer `7`, expected a sequence"),
        (r#"{"$version":3,"allToppings":[],"more":1}"#, "unknown field `more`"),
        (r#"{"$version":1}"#, "Order cannot be brought from version 1 to 2: no topping"),
        (r#"{"$version":0}"#, "the `$version` of Order is not a whole number from 1"),
        (r#"{"$version":"3"}"#, "the `$version` of Order is not a whole number from 1"),
        (r#"{"$version":2.5}"#, "the `$version` of Order is not a whole number from 1"),
        (r#"{"$version":3}"#, "missing field `allToppings`"),
        (r"[]", "invalid type: sequence, expected struct Order"),
        (r"null", "invalid type: null, expected struct Order"),
    ];
    for (text, reason) in cases {
        let error = again::<Order>(text).unwrap_err();
        assert!(error.contains(reason), "{text}: {error}");
    }
    assert!(Order::upcast(3, Value::Null).unwrap_err().to_string().contains("from version 3"));
}

#[test]
fn a_newer_version_is_told_apart_from_a_wrong_shape_wherever_it_is() {
    const SENTENCE: &str =
        "Order is stored as version 4 and this build understands up to 3: finish the deployment";
    fn newer<T: DeserializeOwned>(text: &str) -> Option<String> {
        match read::<T>(&Raw::from_text(text.to_owned()).unwrap()) {
            Err(Unreadable::Newer(newer)) => {
                assert_eq!((newer.name(), newer.stored(), newer.known()), ("Order", 4, 3));
                Some(newer.to_string())
            }
            _ => None,
        }
    }
    let first = r#"{"$version":4,"allToppings":7}"#;
    let last = r#"{"allToppings":7,"$version":4}"#;
    for text in [first, last] {
        assert_eq!(newer::<Order>(text).unwrap(), SENTENCE);
        assert_eq!(newer::<Vec<Order>>(&format!("[{text}]")).unwrap(), SENTENCE);
        assert_eq!(newer::<Basket>(&format!(r#"{{"orders":[{text}]}}"#)).unwrap(), SENTENCE);
        // Here the type itself would take something else and forget the order.
        assert_eq!(newer::<Lenient>(text).unwrap(), SENTENCE);
        assert!(serde_json::from_str::<Lenient>(text).is_ok());
    }
    assert_eq!(newer::<Order>(r#"{"$version":3,"allToppings":7}"#), None);
    assert_eq!(newer::<Order>(r#"{"$version":0}"#), None);
}

#[derive(Default, BotState)]
#[state(version = 1)]
struct Basket {
    #[serde(rename = "orders")]
    _orders: Vec<Order>,
}

#[derive(Deserialize)]
#[serde(untagged)]
#[expect(dead_code, reason = "it is only read")]
enum Lenient {
    Order(Order),
    Anything(Value),
}

/// Its stored form depends on serde's attributes alone; the version is around it.
#[derive(Debug, Default, PartialEq, BotState)]
#[state(version = 2, upcast(1 = as_is))]
enum Step {
    #[default]
    Start,
    Size(u8),
    Pair(u8, String),
    Toppings {
        #[serde(rename = "what")]
        toppings: Vec<String>,
    },
    #[serde(other)]
    Gone,
}

#[test]
fn an_enum_is_stored_in_a_wrapper_and_a_plain_one_is_version_1() {
    let steps = [
        (Step::Start, r#""Start""#),
        (Step::Size(7), r#"{"Size":7}"#),
        (Step::Pair(7, "x".into()), r#"{"Pair":[7,"x"]}"#),
        (Step::Toppings { toppings: vec!["olives".into()] }, r#"{"Toppings":{"what":["olives"]}}"#),
    ];
    for (step, plain) in steps {
        let stored = format!(r#"{{"$version":2,"value":{plain}}}"#);
        assert_eq!(to_json(&step), stored);
        let ways = [
            stored.clone(),
            plain.to_owned(),
            format!(r#"{{"$version":1,"value":{plain}}}"#),
            format!(r#"{{"value":{plain},"$version":2}}"#),
            format!(r#"{{"$version":2,"later":[1],"value":{plain}}}"#),
            format!(r#"{{"$version":2,"value":{plain},"later":[1]}}"#),
        ];
        for text in ways {
            assert_eq!(serde_json::from_str::<Step>(&text).unwrap(), step, "{text}");
        }
    }
    assert_eq!(serde_json::from_str::<Step>(r#""Unknown""#).unwrap(), Step::Gone);
    let error = again::<Step>(r#"{"$version":2}"#).unwrap_err();
    assert!(error.contains("missing field `value`"), "{error}");
    let error = again::<Step>(r#"{"value":"Start","$version":9}"#).unwrap_err();
    assert!(error.contains("Step is stored as version 9"), "{error}");
}

#[derive(BotState)]
#[state(version = 1)]
#[serde(tag = "type", rename_all_fields = "camelCase")]
enum Tagged {
    Plain { the_size: u8 },
}

#[derive(BotState)]
#[state(version = 1)]
struct Tuple(u8, #[serde(default)] String);

#[derive(BotState)]
#[state(version = 1)]
struct Unit;

#[derive(BotState)]
#[state(version = 1)]
#[serde(transparent)]
struct Transparent {
    inner: f64,
}

#[derive(BotState)]
#[state(version = 1)]
#[serde(tag = "kind")]
struct Named {
    r#type: Option<Box<Self>>,
}

#[derive(BotState)]
#[state(version = 1)]
struct Flat {
    a: u8,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

#[derive(BotState)]
#[state(version = 1)]
struct Generic<T: Clone, const N: usize>
where
    T: PartialEq,
{
    inside: Vec<T>,
    #[serde(skip)]
    _size: PhantomData<[u8; N]>,
}

#[test]
fn every_shape_that_serde_knows_comes_back_as_it_went() {
    fn check<T: Serialize + DeserializeOwned>(stored: &str) {
        assert_eq!(again::<T>(stored).unwrap(), stored);
    }
    check::<Tagged>(r#"{"$version":1,"value":{"type":"Plain","theSize":7}}"#);
    check::<Tuple>(r#"{"$version":1,"value":[7,"x"]}"#);
    check::<Unit>(r#"{"$version":1,"value":null}"#);
    check::<Transparent>(r#"{"$version":1,"value":1.5}"#);
    check::<Named>(
        r#"{"$version":1,"kind":"Named","type":{"$version":1,"kind":"Named","type":null}}"#,
    );
    check::<Flat>(r#"{"$version":1,"a":7,"b":[1],"c":{}}"#);
    check::<Generic<String, 0>>(r#"{"$version":1,"inside":["x"]}"#);
    // Stored before the types had a version.
    let plain = [
        (again::<Tagged>(r#"{"type":"Plain","theSize":7}"#), r#"{"type":"Plain","theSize":7}"#),
        (again::<Tuple>("[7]"), r#"[7,""]"#),
        (again::<Unit>("null"), "null"),
        (again::<Transparent>("1.5"), "1.5"),
        (again::<Transparent>("2"), "2.0"),
        (again::<Transparent>("-2"), "-2.0"),
    ];
    for (now, value) in plain {
        assert_eq!(now.unwrap(), format!(r#"{{"$version":1,"value":{value}}}"#));
    }
    let flat = again::<Flat>(r#"{"a":7,"b":1}"#).unwrap();
    assert_eq!(flat, r#"{"$version":1,"a":7,"b":1}"#);
}
