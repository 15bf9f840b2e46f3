"""Why a network is not imported, as an exception. The rules are beside the layers they concern."""

from __future__ import annotations

from .._errors import UnsupportedError


class ImportRefused(UnsupportedError):
    """The format cannot say what this layer computes, or the checkpoint is not what the layer needs.

    module: the path of the layer in the network ("" for the network itself); reason: why.
    """

    def __init__(self, module: str, reason: str) -> None:
        super().__init__(f"{module}: {reason}" if module else reason)
        self.module = module
        self.reason = reason
