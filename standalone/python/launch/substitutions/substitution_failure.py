"""SubstitutionFailure: a substitution could not be performed."""


class SubstitutionFailure(RuntimeError):  # noqa: N818 (the real name)
    """A substitution could not be performed."""
