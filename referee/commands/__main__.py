"""`python -m referee.commands` is `nerts-referee`."""

from referee.commands.program import main

if __name__ == "__main__":
    main()
