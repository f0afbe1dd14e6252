#[derive(Default, sayso_turn::BotState)]
#[state(name = "order")]
struct Order {
    toppings: Vec<String>,
}

fn main() {
    drop(Order::default().toppings);
}
