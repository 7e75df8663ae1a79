"""Errors that a user can correct; each message names the problem and what to do, in one line."""


class RedraftError(Exception):
    """The class of all these errors; the command line prints the message and exits with 2."""


class InputError(RedraftError):
    """A file, a line or an argument that cannot be used."""


class ModelError(RedraftError):
    """A model folder that is missing, damaged or of a format that this version does not read."""


class ConfigError(RedraftError):
    """A setting with an unknown name or a value out of range."""


def one_line(text: object, longest: int = 300) -> str:
    """A text for an error message: control characters are escaped, and a long text is cut off."""
    shown = "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in str(text))
    return shown if len(shown) <= longest else f"{shown[: longest - 1]}…"
