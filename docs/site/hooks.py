"""What the site changes about the pages on the way: they are written for readers of the repository and for the tests.

- Files of `examples/` that pages link to are on the site, too; other files outside of `docs/` become plain text.
- Notes to the tests (`<!-- before: ... -->`) are left out, and a file name behind a fence's language becomes its title.
- A list may follow a line of text directly, as on the usual hosts of repositories.
"""

import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).parents[2]
NOTE = re.compile(r"^[ \t]*<!--.*?-->[ \t]*\n", re.S | re.M)
TITLE = re.compile(r"^([ \t]*```)(\w+) (\S+)$", re.M)
OUTSIDE = re.compile(r"\[([^\]]+)\]\(((?:\.\./)+)(?!\.)([^)#]+?)/?(#[^)]*)?\)")
ITEM = re.compile(r"^(?:[-*]|\d+\.) ")


def on_files(files, config):
    for path in sorted((ROOT / "examples").rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts and "data" not in path.parts:
            files.append(File.generated(config, str(path.relative_to(ROOT)), abs_src_path=str(path)))
    return files


def on_page_markdown(markdown, page, config, files):
    depth = len(Path(page.file.src_uri).parts) - 1
    of_example = page.file.src_uri.startswith("examples/")

    def link(match):
        text, ups, path, anchor = match[1], match[2].count("../"), match[3], match[4] or ""
        if of_example and ups == depth and path.startswith("docs/"):
            return f"[{text}]({'../' * depth}{path.removeprefix('docs/')}{anchor})"
        if of_example or ups <= depth:
            return match[0]
        if path.startswith("examples"):
            whole = ROOT / path
            inside = path if whole.is_file() else f"{path}/README.md"
            if (ROOT / inside).is_file():
                return f"[{text}]({'../' * depth}{inside}{anchor})"
        return f"{text} (`{path}` in the repository)" if path not in text else text

    markdown = NOTE.sub("", markdown)
    markdown = TITLE.sub(r'\1\2 title="\3"', markdown)
    lines, fenced, before = [], False, ""
    for line in OUTSIDE.sub(link, markdown).split("\n"):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        if not fenced and ITEM.match(line) and before.strip() and not ITEM.match(before) and not before.startswith(" "):
            lines.append("")
        lines.append(line)
        before = line
    return "\n".join(lines)
