"""The one exception of the cases."""


class BadInput(ValueError):
    """A name, value or file that a user gave is not what was expected; the message is one line that says
    both.
    """
