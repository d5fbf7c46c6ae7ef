"""How good the eye is: every card of every picture told, figures of all kinds made of that, one report."""
