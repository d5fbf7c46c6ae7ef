"""Cards and hands are found: cells vote, the scale suits the cards, corners and edges are put right."""
