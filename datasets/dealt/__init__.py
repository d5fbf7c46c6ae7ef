"""A hand's centre dealt out to be counted: card by card onto a row or a pile, or sorted by backs onto piles."""
