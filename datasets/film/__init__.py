"""Whole hands of Nerts, filmed: simulated play, a physical table, hands, a camera, and exact truth.

    from datasets.film.film import film_hand
    film_hand(7, [plain_deck("blue", (150, 60, 30)), plain_deck("red", (40, 40, 170))], Path("out/film"))

`datasets.play.players` plays the hand by the clock; `table` says where places lie, `choreography` turns deeds into
movement, `camera` projects it, `art`, `hand_mesh` and `hands` hold what is seen of cards and arms, `look` the table
top and the light, `compositor` paints (with the tools of `paint`), `sensor` makes the finished frame, `video` stores
it, `truth` and `record` tell what is so. `setting` draws all of it from a seed, `film` brings it together.
"""
