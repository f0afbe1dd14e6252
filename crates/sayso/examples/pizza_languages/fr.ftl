welcome = Bienvenue ! Que mettons-nous sur votre pizza ?
order = { $count ->
    [one] Une pizza avec { $count } garniture : { $toppings }.
   *[other] Une pizza avec { $count } garnitures : { $toppings }.
}
cleared = Une nouvelle pizza. Que mettons-nous dessus ?
sorry = Désolé, cela n’a pas fonctionné. Rien n’a été modifié.
