welcome = Welcome! What goes on your pizza?
order = { $count ->
    [one] A pizza with one topping: { $toppings }.
   *[other] A pizza with { $count } toppings: { $toppings }.
}
cleared = A new pizza. What goes on it?
sorry = Sorry, that did not work. Nothing was changed.
