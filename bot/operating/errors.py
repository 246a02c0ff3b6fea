"""Why an operator's command could not do its work."""


class OperatingError(Exception):
    """The command could not do its work; `lines` say why and what to do, without a secret."""

    def __init__(self, *lines: str) -> None:
        self.lines = lines
        super().__init__("\n".join(lines))
