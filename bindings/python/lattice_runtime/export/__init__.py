"""From trained networks to artifacts: spconv, MinkowskiEngine, TorchSparse, torch-lattice, plain PyTorch.

    from lattice_runtime.export import export_module, import_checkpoint

    model = export_module(net, library="spconv", input={"channels": 4, "spatial_shape": [41, 1600, 1408]})
    model.write("model/")
    result = model.load().run(model.inputs_for(coords, features))   # in the library's columns

What cannot be said in the format is refused with ImportRefused, which names the layer and the reason. No
library is imported; docs/import.md lists what of each one is understood.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Optional

from ._errors import ImportRefused
from ._import import (
    LIBRARIES,
    Importer,
    described_shape,
    described_stride,
    input_channels,
    is_generative,
    library_named,
)
from ._model import ImportedModel, ModelInput, ModelOutput
from ._network import Network
from ._trace import as_data, class_name, describe, walk

__all__ = [
    "ImportRefused", "ImportedModel", "ModelInput", "ModelOutput", "describe_module", "export_module",
    "import_checkpoint",
]  # fmt: skip


def import_checkpoint(
    library: str,
    model: Mapping[str, Any],
    state_dict: Mapping[str, Any],
    *,
    input: Optional[Mapping[str, Any]] = None,
    storage: Optional[Mapping[str, Any]] = None,
) -> ImportedModel:
    """A network from its description and its weights, without the library it was trained in.

    library: "spconv", "MinkowskiEngine", "torchsparse", "torch_lattice" or "plain".
    model: the tree of modules: {"class", "args", "kwargs", "children", "forward"}. A `container` has
      `forward`, a list of steps {"out", "call": child or "fn": "add" or "cat", "in": [...]} where "x" is
      the input and the last step the result; a Sequential runs its children in order.
    state_dict: arrays (numpy, torch, ...) by the library's keys.
    input: what is known of the input, all optional: channels; stride (tensor_stride); spatial_shape in
      the library's order, or spatial_range (TorchSparse); batch_size, or how many batches there are.
    storage: how convolutions and linear layers are stored, as GraphBuilder.weight takes it: {"dtype":
      "f16"} (features are then f16 too), {"bits": 8, "group_size": 32}.
    """
    library = library_named(library)
    described = dict(input or {})
    channels = described.get("channels") or input_channels(library, model, state_dict)
    if not channels:
        raise ImportRefused("", 'how many channels the input has is not known: give input={"channels": ...}')
    network = Network(
        described,
        int(channels),
        described_stride(library, described),
        described_shape(library, described),
        storage,
    )
    network.generative = library == "torchsparse" and is_generative(model)
    result = Importer(library, state_dict, network).run(model, "", [network.input])
    return ImportedModel(library, network, result)


def export_module(
    module: Any,
    *,
    library: Optional[str] = None,
    input: Optional[Mapping[str, Any]] = None,
    storage: Optional[Mapping[str, Any]] = None,
) -> ImportedModel:
    """A network from the living module, in evaluation mode: any torch.nn.Module, or what has its
    named_children, state_dict and call.

    Its forward is run on stand-ins, so it may call layers, add values and concatenate channels, and may not
    look at numbers. library: which one an unprefixed class name belongs to; found from the classes if left
    out, "plain" if none is of a known library. input, storage: as for import_checkpoint.
    """
    library = library_of(module, library)
    tree, state = describe(library, module)
    return import_checkpoint(library, tree, state, input=input, storage=storage)


def describe_module(
    module: Any, *, library: Optional[str] = None
) -> tuple[str, dict[str, Any], Mapping[str, Any]]:
    """(library, description, state dict) of a living module, for `import_checkpoint`. The description is
    plain data that JSON holds, to be taken to a machine without torch or the library."""
    library = library_of(module, library)
    tree, state = describe(library, module)
    return library, as_data(library, tree, state), state


def library_of(module: Any, library: Optional[str]) -> str:
    """The library asked for, or that of the first class of one."""
    if library is None:
        roots = [class_name(each).partition(".")[0] for _, each in walk(module)]
        library = next((root for root in roots if root in LIBRARIES), "plain")
    return library_named(library)
