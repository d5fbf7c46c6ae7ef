"""The umpire on films: made, replayed, held against the truth and deleted one by one; a row of figures of each stays."""
