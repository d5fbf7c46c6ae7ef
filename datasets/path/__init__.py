"""Path-traced pictures: cards as thin bent sheets under real light, for a share of stills that look like photos."""

from datasets.path.renderer import PathRenderer as PathRenderer
