"""Files of strangers, opened in a process of their own: what breaks over them, or never ends, is not the program."""
