"""Makes the Python reference from the package's sources and the stub of its compiled half.

    python3 scripts/make_python_docs.py build/dev/python/lattice_runtime build/dev/docs

Signatures and docstrings are those of the sources, word for word; nothing is written here. Fails when a public name
has no docstring, so that nothing goes missing quietly. Reads text only: the package is not imported.
"""
from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

Definition = ast.ClassDef | ast.FunctionDef


class Package:
    """The modules of a package by name, as syntax trees; "_lattice" is the stub."""

    def __init__(self, folder: Path) -> None:
        self.text: dict[str, str] = {}
        for path in sorted([*folder.glob("*.py"), *folder.glob("*.pyi"), *folder.glob("export/*.py")]):
            name = ".".join(path.relative_to(folder).with_suffix("").parts)
            self.text[name] = path.read_text()
        self.tree = {name: ast.parse(text) for name, text in self.text.items()}

    def public(self, module: str) -> list[str]:
        """The names in a module's __all__."""
        for node in self.tree[module].body:
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
                return [str(name) for name in ast.literal_eval(node.value)]
        raise SystemExit(f"{module}: no __all__")

    def find(self, module: str, name: str) -> tuple[str, Definition]:
        """Where a name is defined, following imports inside the package."""
        for node in ast.walk(self.tree[module]):
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name == name and node in self.tree[module].body:
                return module, node
            if isinstance(node, ast.ImportFrom) and node.level and node.module:
                if any(name == (alias.asname or alias.name) for alias in node.names):
                    parent = module.rpartition(".")[0] if node.level == 1 else ""
                    return self.find(f"{parent}.{node.module}" if parent else node.module, name)
        raise SystemExit(f"{module}: {name} is not defined")

    def members(self, module: str, node: ast.ClassDef) -> dict[str, tuple[str, ast.FunctionDef]]:
        """Public methods and properties, those of the compiled base first."""
        found: dict[str, tuple[str, ast.FunctionDef]] = {}
        for base in node.bases:
            if ast.unparse(base).startswith("_lattice."):
                home, parent = self.find("_lattice", ast.unparse(base).removeprefix("_lattice."))
                assert isinstance(parent, ast.ClassDef)
                found |= self.members(home, parent)
        for each in node.body:
            if isinstance(each, ast.FunctionDef) and (not each.name.startswith("_") or each.name in SHOWN):
                found[each.name] = (module, each)
        return found


SHOWN = ("__call__", "__getitem__", "__len__", "__contains__")  # of the special methods
EXPLAINED = ("__len__", "__contains__")  # mean what they mean everywhere
undocumented: list[str] = []


def docstring(where: str, node: ast.AST, names: list[str]) -> str:
    """A docstring as Markdown. Indented lines are an example, lines "name: ..." of a parameter a list."""
    text = ast.get_docstring(node)  # type: ignore[arg-type]
    if text is None:
        if where.rpartition(".")[2] not in EXPLAINED:
            undocumented.append(where)
        return ""
    lines: list[str] = []
    example = listed = False
    for line in text.splitlines():
        words = re.match(r"(\w+(?:, \w+)*): ", line)
        parameter = words is not None and all(word in names for word in words.group(1).split(", "))
        if line.startswith("    ") != example and line:
            lines.append("```" if example else "\n```python")
            example = not example
        if parameter and words:
            if not listed and lines and lines[-1]:
                lines.append("")
            line = f"- `{words.group(1)}`: {line[words.end():]}"
            listed = True
        elif listed and line and not line.startswith(" "):
            lines.append("")
            listed = False
        lines.append(line[4:] if example else line.rstrip())
    if example:
        lines.append("```")
    page = "\n".join(lines).strip().replace("\n\n```\n", "\n```\n\n")
    return re.sub("\n{3,}", "\n\n", page)


def parameters(node: ast.FunctionDef) -> list[str]:
    arguments = node.args
    return [each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]


def annotation(node: ast.expr | None) -> str:
    """A type; names that are not defined yet stand in quotes in the source and not here."""
    return re.sub(r"'([\w.\[\], ]+)'", r"\1", ast.unparse(node)) if node else ""


def arguments(node: ast.FunctionDef) -> list[str]:
    """The arguments as they are written, without self."""
    given = node.args
    before = [*given.posonlyargs, *given.args]
    defaults = [*[None] * (len(before) - len(given.defaults)), *given.defaults]
    parts: list[str] = []

    def add(each: ast.arg, default: ast.expr | None = None, stars: str = "") -> None:
        text = stars + each.arg + (f": {annotation(each.annotation)}" if each.annotation else "")
        parts.append(text + (f" = {ast.unparse(default)}" if default else ""))

    for at, (each, default) in enumerate(zip(before, defaults)):
        if at or each.arg not in ("self", "cls"):
            add(each, default)
        if given.posonlyargs and at + 1 == len(given.posonlyargs):
            parts.append("/")
    if given.vararg:
        add(given.vararg, stars="*")
    elif given.kwonlyargs:
        parts.append("*")
    for each, default in zip(given.kwonlyargs, given.kw_defaults):
        add(each, default)
    if given.kwarg:
        add(given.kwarg, stars="**")
    return parts


def signature(name: str, node: ast.FunctionDef) -> str:
    """One line where it fits, else a line for each argument."""
    parts = arguments(node)
    result = f" -> {annotation(node.returns)}" if node.returns and node.name != "__init__" else ""
    line = f"{name}({', '.join(parts)}){result}"
    return line if len(line) <= 100 else f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + f"){result}"


def is_property(node: ast.FunctionDef) -> bool:
    return any(ast.unparse(each) == "property" for each in node.decorator_list)


def fields(package: Package, module: str, node: ast.ClassDef) -> str:
    """Annotated fields as they stand in the source, with their comments."""
    lines = package.text[module].splitlines()
    return "\n".join(
        lines[each.lineno - 1].strip()
        for each in node.body
        if isinstance(each, ast.AnnAssign) and not getattr(each.target, "id", "_").startswith("_")
    )


def block(text: str) -> str:
    return f"```python\n{text}\n```"


def class_parts(package: Package, module: str, node: ast.ClassDef) -> list[str]:
    start = next((each for each in node.body if isinstance(each, ast.FunctionDef) and each.name == "__init__"), None)
    parts = [docstring(node.name, node, parameters(start) if start else [])]
    if fields(package, module, node):
        parts.append(block(fields(package, module, node)))
    if start is not None and len(start.args.args) > 1 and all("_lattice" not in ast.unparse(each) for each in start.args.args):
        parts.append(block(signature(node.name, start)))
    for name, (home, member) in package.members(module, node).items():
        text = docstring(f"{node.name}.{name}", member, parameters(member))
        if is_property(member):
            of = f": {annotation(member.returns)}" if member.returns else ""
            parts.append(f"- `{node.name}.{name}{of}`" + (f": {text}" if text else ""))
        else:
            parts += [f"#### `{node.name}.{name}`", block(signature(name, member)), text]
    return parts


def reference(package: Package) -> str:
    parts = ["# Python reference", "Made from the sources of `lattice_runtime`.", docstring("the package", package.tree["__init__"], [])]
    for index in ("__init__", "export.__init__"):
        sections: dict[str, list[str]] = {}
        for name in package.public(index):
            module, node = package.find(index, name)
            # The section is that of the module which offers the name: a class of the stub stands beside its functions.
            home = module
            if module == "_lattice":
                home = next((other for other in ("points", "builder") if name in package.public(other)), "_program")
            section = sections.setdefault(home, [])
            section.append(f"### `{name}`")
            if isinstance(node, ast.ClassDef):
                section += class_parts(package, module, node)
            else:
                section += [block(signature(name, node)), docstring(name, node, parameters(node))]
        if index == "export.__init__":
            parts += ["## lattice_runtime.export", docstring(index, package.tree[index], [])]
            parts += [part for section in sections.values() for part in section]
            continue
        for module in sorted(sections, key=lambda each: list(ORDER).index(each)):
            parts += [f"## {ORDER[module]}", docstring(module, package.tree[module], []) if module != "__init__" else ""]
            parts += sections[module]
    return "\n\n".join(part for part in parts if part) + "\n"


# The sections in the order of the page, by the module that holds them.
ORDER = {
    "_program": "Programs",
    "_sparse": "Sparse tensors",
    "points": "Points and voxels",
    "builder": "Building artifacts",
    "_signature": "Signatures",
    "_errors": "Errors",
    "__init__": "Devices",
    "artifact": "The names of mlx_lattice.artifact",
}


def main() -> None:
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    package, out = Path(sys.argv[1]), Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    page = reference(Package(package))
    if undocumented:
        raise SystemExit("no docstring: " + ", ".join(undocumented))
    (out / "python.md").write_text(page)


if __name__ == "__main__":
    main()
