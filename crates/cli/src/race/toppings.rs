//! Names of toppings: enough real ones for a large order, then numbered ones.

/// Toppings that people do put on pizza. None contains ` and `, which joins them in a sentence.
const NAMES: [&str; 64] = [
    "mushrooms",
    "cheese",
    "olives",
    "ham",
    "basil",
    "onions",
    "peppers",
    "salami",
    "tomatoes",
    "spinach",
    "artichokes",
    "anchovies",
    "capers",
    "corn",
    "pineapple",
    "bacon",
    "chicken",
    "tuna",
    "prawns",
    "mussels",
    "clams",
    "garlic",
    "chillies",
    "oregano",
    "rocket",
    "ricotta",
    "mozzarella",
    "gorgonzola",
    "feta",
    "parmesan",
    "goat cheese",
    "mascarpone",
    "pepperoni",
    "chorizo",
    "sausage",
    "meatballs",
    "speck",
    "prosciutto",
    "bresaola",
    "nduja",
    "aubergines",
    "courgettes",
    "broccoli",
    "asparagus",
    "leeks",
    "potatoes",
    "pumpkin",
    "beetroot",
    "kale",
    "radicchio",
    "fennel",
    "walnuts",
    "pine nuts",
    "figs",
    "pears",
    "grapes",
    "honey",
    "truffles",
    "sage",
    "thyme",
    "rosemary",
    "pesto",
    "an egg",
    "sour cream",
];

/// As many different toppings as are wanted.
pub(super) fn names(count: usize) -> Vec<String> {
    let real = NAMES.iter().map(|name| (*name).to_owned());
    real.chain((NAMES.len() + 1..).map(|n| format!("topping {n}"))).take(count).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::names;

    #[test]
    fn names_differ_and_can_be_told_apart_in_a_sentence() {
        let names = names(200);
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), 200);
        assert!(names.iter().all(|name| !name.contains(" and ") && !name.contains('.')));
    }
}
