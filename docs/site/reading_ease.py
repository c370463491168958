"""How easy the pages for readers are to read: Flesch's reading ease of each, by textstat. A guide below 60 fails.

Code, tables and headings are left out; a name in backticks counts as a short word.
"""

import re
import sys
from pathlib import Path

import textstat

DOCS = Path(__file__).parents[1]
FLOOR = 60
FOLDERS = ("guides", "tutorials", "understanding", "coming-from")


def prose(page):
    text = re.sub(r"<!--.*?-->", "", page, flags=re.S)
    text = re.sub(r"(?ms)^\s*```.*?^\s*```\s*$", "", text)
    text = "\n".join("" if re.match(r"\s*\||#|!!!", line) else line for line in text.splitlines())
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"`[^`]*`", "it", text)
    parts = (re.sub(r"^\s*(?:[-*]|\d+\.)\s+", "", part) for part in re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )", text))
    parts = (" ".join(re.sub(r"[*_]", "", part).split()) for part in parts)
    return "\n".join(part.rstrip(":;,") + ("" if part[-1] in ".!?" else ".") for part in parts if part)


def main():
    pages = [page for folder in FOLDERS for page in sorted((DOCS / folder).rglob("*.md"))]
    pages += [DOCS / "index.md", DOCS / "start.md", DOCS / "peers.md", DOCS / "roadmap.md", DOCS.parent / "README.md"]
    hard = []
    for page in pages:
        text = prose(page.read_text())
        if len(text.split()) < 20:
            continue
        ease = textstat.flesch_reading_ease(text)
        words = len(text.split()) / max(1, textstat.sentence_count(text))
        print(f"{ease:6.1f}  {words:4.1f} words per sentence  {page.relative_to(DOCS.parent)}")
        if ease < FLOOR:
            hard.append(page.name)
    sys.exit(f"below {FLOOR}: {', '.join(hard)}" if hard else 0)


main()
