"""The Python reference can be made from the sources, and everything public is in it."""

import pathlib
import subprocess
import sys

import lattice_runtime as lattice
from lattice_runtime import export

ROOT = pathlib.Path(__file__).parent.parent.parent


def test_the_reference_has_every_public_name(tmp_path):
    package = lattice.__path__[0]
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "make_python_docs.py", package, tmp_path], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr  # a public name without a docstring is refused
    page = (tmp_path / "python.md").read_text()
    for name in [*lattice.__all__, *export.__all__]:
        assert f"\n### `{name}`\n" in page, name
    for method in ("Program.__call__", "Program.prepare", "GraphBuilder.conv3d", "GraphBuilder.write", "PointCloud.features"):
        assert f"\n#### `{method}`\n" in page, method
    assert "GraphBuilder._" not in page and page.count("```") % 2 == 0
