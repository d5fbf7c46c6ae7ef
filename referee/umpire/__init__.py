"""The umpire: turns looks at a table into what happened there. Layouts go in, events come out; no pictures, no files."""
