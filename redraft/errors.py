"""What can go wrong, said in one line that tells the user what to do."""


class RedraftError(Exception):
    """Any failure a user can mend; the command line prints it as one line and exits with 2."""


class InputError(RedraftError):
    """A file, a line or an argument that cannot be used."""


class ModelError(RedraftError):
    """A model folder that is missing, damaged or of a shape this version does not know."""


class ConfigError(RedraftError):
    """A setting with an unknown name or a value out of range."""
