"""`python -m anyide` is the same as `anyide`."""

from anyide.cli.main import entry

if __name__ == "__main__":
    entry()
