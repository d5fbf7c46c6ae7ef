"""A camera of the page that looks at cards before their photo is taken: what is seen stands on its picture."""
