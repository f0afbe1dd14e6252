//! The bot in simulated worlds: several instances on one store, and everything that can go wrong.

use {{crate}}::{Order, bot};
use sayso::sim::simulate;

#[test]
fn no_topping_is_lost_whatever_happens() {
    let world = simulate(bot).users(2).script(["mushrooms", "cheese"]).instances(3);
    world.seeds(200).check(|world| {
        for user in 0..2 {
            let order: Order = world.state(user, "Order").expect("there is an order");
            assert_eq!(order.toppings.len(), 2, "the pizza has {:?}", order.toppings);
        }
    });
}
