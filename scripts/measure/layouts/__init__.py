"""Whole hands of simulated players seen by an eye of drawn faults, without a picture: where the umpire is developed."""
