"""What notebooks and scripts show: the progress of a run, and the command's Markdown as HTML."""

import html
import re
import sys
from typing import Callable, Iterator, List, Optional

from .cells import shell

#: How the command marks a trial that ended well.
DONE = "✓"


def in_notebook() -> bool:
    """Whether a notebook's kernel runs this."""
    return hasattr(shell(), "kernel")


def progress() -> Optional[Callable[[str], None]]:
    """What shows a run's lines here; None where its own live line does it best."""
    if in_notebook():
        return NotebookProgress()
    if sys.stderr is sys.__stderr__ and sys.stderr is not None and sys.stderr.isatty():
        return None
    return lambda line: print(line, file=sys.stderr, flush=True)


class NotebookProgress:
    """One output of a cell, drawn again with every line; of trials that end well one after the other, the last."""

    def __init__(self) -> None:
        from IPython.display import HTML, display

        self.html = HTML
        self.kept: List[str] = []
        self.handle = display(HTML(""), display_id=True)

    def __call__(self, line: str) -> None:
        if self.kept and line.startswith(DONE) and self.kept[-1].startswith(DONE):
            self.kept.pop()
        self.kept.append(line)
        self.handle.update(self.html(f"<pre>{html.escape(chr(10).join(self.kept))}</pre>"))


def as_html(markdown: str) -> str:
    """The command's Markdown as HTML: headings, tables, lists, folded parts and paragraphs, which is all it writes."""
    return "\n".join(blocks(markdown.splitlines()))


def blocks(lines: List[str]) -> Iterator[str]:
    at = 0
    while at < len(lines):
        line = lines[at]
        kind = next((kind for kind in ("|", "- ") if line.startswith(kind)), None)
        end = at + 1
        while kind and end < len(lines) and lines[end].startswith(kind):
            end += 1
        if kind == "|":
            yield table(lines[at:end])
        elif kind == "- ":
            items = "".join(f"<li>{inline(item[2:])}</li>" for item in lines[at:end])
            yield f"<ul>{items}</ul>"
        elif line.startswith("#"):
            # A page of a notebook has headings of its own.
            yield f"<h4>{inline(line.lstrip('# '))}</h4>"
        elif re.fullmatch(r"</?details>", line):
            yield line
        elif line.startswith("<summary>"):
            yield f"<summary>{inline(line[9:].replace('</summary>', ''))}</summary>"
        elif line.strip():
            yield f"<p>{inline(line)}</p>"
        at = end


def table(lines: List[str]) -> str:
    rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    numbers = [rule.endswith(":") for rule in rows[1]] if len(rows) > 1 else []

    def row(cells: List[str], tag: str) -> str:
        sides = ("right" if right else "left" for right in numbers)
        drawn = (f'<{tag} style="text-align:{side}">{inline(cell)}</{tag}>' for cell, side in zip(cells, sides))
        return f"<tr>{''.join(drawn)}</tr>"

    body = "".join(row(cells, "td") for cells in rows[2:])
    return f"<table><thead>{row(rows[0], 'th')}</thead><tbody>{body}</tbody></table>"


def inline(text: str) -> str:
    """Bold, code, and signs that Markdown would have taken for its own."""
    text = html.escape(text, quote=False)
    text = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", text)
    text = re.sub(r"`(.+?)`", r"<code>\1</code>", text)
    return re.sub(r"\\([\\`*_{}\[\]()#+.!|<>~-])", r"\1", text)
