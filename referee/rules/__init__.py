"""The rules: cards, places, events, the table they lead to, rulings and scores. Usable alone."""
