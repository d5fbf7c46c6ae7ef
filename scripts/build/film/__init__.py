"""Films simulated hands, and draws what shows a film to people."""
