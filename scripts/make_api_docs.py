"""Makes the API reference from the public headers: docs/cpp.md and docs/c.md of a build folder.

    python3 scripts/make_api_docs.py build/dev/docs

The comments and declarations are those of the headers, word for word; nothing is written here. Fails when a header holds
something it cannot place, so that nothing goes missing quietly.
"""
from __future__ import annotations

import re
import sys
from pathlib import Path

INCLUDE = Path(__file__).resolve().parent.parent / "include" / "lattice"
CPP_HEADERS = ["lattice.hpp", "signature.hpp", "tensor.hpp", "status.hpp"]
CPP_NAME = re.compile(r"^(?:enum class|enum|class|struct) (\w+)|^using (\w+)|(\w+)\(")
C_NAME = re.compile(r"^typedef (?:struct|enum) (\w+)|^#define (\w+)|(lattice_\w+)\(")


def blocks(lines: list[str]) -> list[list[str]]:
    """Runs of lines; a blank line ends one only outside of brackets and comments."""
    result: list[list[str]] = [[]]
    depth, comment = 0, False
    for line in lines:
        if not line.strip() and depth == 0 and not comment:
            result.append([])
            continue
        result[-1].append(line)
        code = re.sub(r"//.*|/\*.*?\*/|\"[^\"]*\"", "", line)
        if comment:
            comment = "*/" not in line
            continue
        comment = "/*" in code
        depth += code.count("{") - code.count("}")
    return [block for block in result if block]


def paragraph(comment: list[str]) -> str:
    """The text of a // or /* */ comment. Indented lines are an example and stay as they are."""
    text: list[str] = []
    example = False
    for line in comment:
        line = re.sub(r"^\s*(//|/\*|\*/|\*)", "", line).replace("*/", "").rstrip()
        if line.startswith("   ") != example:
            text.append("```" if example else "\n```cpp")
            example = not example
        text.append(line.strip())
    if example:
        text.append("```")
    return "\n".join(text).strip()


def code(lines: list[str], language: str) -> str:
    return f"```{language}\n" + "\n".join(lines) + "\n```"


def leading_comment(block: list[str], mark: str) -> int:
    """How many lines of the block are its comment."""
    if mark == "//":
        return next((i for i, line in enumerate(block) if not line.startswith("//")), len(block))
    if not block[0].startswith("/*"):
        return 0
    end = next(i for i, line in enumerate(block) if "*/" in line)
    return end + 1 if block[end].rstrip().endswith("*/") else 0


def public_part(lines: list[str]) -> list[str]:
    """A class without its private members."""
    result, hidden = [], False
    for line in lines:
        if re.match(r"^ (public|private|protected):", line):
            hidden = "public" not in line
        if not hidden or line.startswith("}"):
            result.append(line)
    while len(result) > 1 and not result[-2].strip():
        del result[-2]
    return result


def names(lines: list[str], pattern: re.Pattern[str]) -> list[str]:
    found = []
    for line in lines:
        match = None if line.startswith((" ", "/", "}")) else pattern.search(line)
        if match:
            name = next(group for group in match.groups() if group)
            if name not in found:
                found.append(name)
    return found


def cpp_reference() -> str:
    parts = ["# C++ reference", "Made from the headers in `include/lattice`. One include is enough: `lattice/lattice.hpp`."]
    for header in CPP_HEADERS:
        lines = (INCLUDE / header).read_text().splitlines()
        head = leading_comment(lines, "//")
        body = "\n".join(line for line in lines[head:] if not line.startswith("#"))
        body = re.sub(r"namespace detail \{.*?\}  // namespace detail\n", "", body, flags=re.S)
        inside = re.search(r"namespace lattice \{\n(.*)\}  // namespace lattice", body, flags=re.S)
        if inside is None:
            raise SystemExit(f"{header}: no namespace lattice")
        parts += [f"## {header}", paragraph(lines[:head])]
        for block in blocks(inside.group(1).splitlines()):
            count = leading_comment(block, "//")
            declaration = public_part(block[count:])
            if len(declaration) == 1 and re.match(r"(class|struct) \w+;", declaration[0]):
                continue
            found = names([line for line in declaration if not line.startswith("template")], CPP_NAME)
            if not found:
                raise SystemExit(f"{header}: no name in\n" + "\n".join(block))
            parts += ["### " + ", ".join(f"`{name}`" for name in found), paragraph(block[:count]), code(declaration, "cpp")]
    return "\n\n".join(part for part in parts if part) + "\n"


def c_reference() -> str:
    lines = (INCLUDE / "lattice.h").read_text().splitlines()
    head = leading_comment(lines, "/*")
    parts = ["# C reference", "Made from `include/lattice/lattice.h`.", paragraph(lines[:head])]
    text = "\n".join(lines[head:])
    text = re.sub(r"#if.*?#endif", "", text, flags=re.S)  # include guards, extern "C", visibility
    text = re.sub(r"^#(?:ifndef|define LATTICE_LATTICE_H|include|endif).*$", "", text, flags=re.M)
    text = text.replace("LATTICE_C_API ", "")
    for block in blocks(text.splitlines()):
        section = re.match(r"/\* ---- (.*) ---- \*/$", block[0])
        if section:
            title, _, rest = section.group(1).partition(": ")
            parts += [f"## {title[0].upper()}{title[1:]}", rest[:1].upper() + rest[1:]]
            continue
        count = leading_comment(block, "/*")
        found = names(block[count:], C_NAME)
        if not found:
            raise SystemExit("lattice.h: no name in\n" + "\n".join(block))
        parts += ["### " + ", ".join(f"`{name}`" for name in found), paragraph(block[:count]), code(block[count:], "c")]
    return "\n\n".join(part for part in parts if part) + "\n"


def main() -> None:
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    (out / "cpp.md").write_text(cpp_reference())
    (out / "c.md").write_text(c_reference())


if __name__ == "__main__":
    main()
