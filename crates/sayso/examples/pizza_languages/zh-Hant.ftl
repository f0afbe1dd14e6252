welcome = 歡迎！您的披薩要加什麼配料？
order = 披薩加 { $count } 種配料：{ $toppings }。
cleared = 新的披薩。要加什麼配料？
sorry = 抱歉，出了點問題。沒有任何變更。
