"""The ways in which torch saves a module and loads it, as lines that make `other` of `layer`."""

from __future__ import annotations

from tensorproof.equivalence.models.saving import FOLDER, Method

_MEMORY = "import io; file = io.BytesIO()\n"
_READ = "file.seek(0)\n"
_STATE = f"{_MEMORY}torch.save(layer.state_dict(), file)\n{_READ}{{fresh}}\n"
METHODS = (
    Method("whole module", f"{_MEMORY}torch.save(layer, file)\n{_READ}other = torch.load(file, weights_only=False)"),
    Method("state dict", f"{_STATE}other.load_state_dict(torch.load(file, weights_only=True))"),
    Method("state dict, assigned", f"{_STATE}other.load_state_dict(torch.load(file), assign=True)"),
    Method(
        "state dict, old format",
        f"{_MEMORY}torch.save(layer.state_dict(), file, _use_new_zipfile_serialization=False)\n{_READ}{{fresh}}\nother.load_state_dict(torch.load(file))",
    ),
    Method(
        "state dict, mapped file",
        f'{FOLDER}torch.save(layer.state_dict(), path + "/m.pt")\n{{fresh}}\nother.load_state_dict(torch.load(path + "/m.pt", mmap=True))',
        costly=True,
    ),
    Method(
        "arrays of NumPy",
        f"import numpy as np\n{_MEMORY}np.savez(file, **{{k: v.numpy() for k, v in layer.state_dict().items()}})\n{_READ}{{fresh}}\n"
        "other.load_state_dict({k: torch.from_numpy(v) for k, v in np.load(file).items()})",
    ),
    Method("pickle", "import pickle\nother = pickle.loads(pickle.dumps(layer))"),
    Method("deepcopy", "import copy\nother = copy.deepcopy(layer)"),
    Method("copied parameters", "{fresh}\nfor mine, theirs in zip(other.state_dict().values(), layer.state_dict().values()): mine.copy_(theirs)",
        lazy=False),
    Method(
        "torch.jit",
        f"{_MEMORY}torch.jit.save(scripted, file)\n{_READ}other = torch.jit.load(file)",
        setup="scripted = torch.jit.script(layer)", saved="scripted", costly=True,
    ),
    Method(
        "distributed checkpoint",
        f"import torch.distributed.checkpoint as dcp\n{FOLDER}dcp.save(layer.state_dict(), checkpoint_id=path, no_dist=True)\n{{fresh}}\n"
        "dcp.load(state := other.state_dict(), checkpoint_id=path, no_dist=True)\nother.load_state_dict(state)",
        costly=True, lazy=False,
    ),
)  # fmt: skip
