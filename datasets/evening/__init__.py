"""A whole evening in one film: an empty table, cards dealt, a hand, the call, cards gathered up, the next hand."""
