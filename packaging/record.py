"""Records the three doors of Fairtrial as an SVG that plays by itself, from real runs of the command on the path:

    python3 packaging/record.py docs/images/recording.svg

Each scene is a command with what it really printed. Lines come at the times at which they came; a scene that took longer
than its share of the twenty seconds is played faster. Browsers that are asked for less motion show the last scene.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from html import escape
from pathlib import Path

FIXTURES = Path(__file__).parents[1] / "crates/interop/tests/fixtures/wandb"
COLUMNS, ROWS, WIDTH, HEIGHT = 92, 13, 8.45, 19
TYPED, PLAYED, SHOWN = 1.6, 2.2, 2.9  # seconds of a scene: typing, printing at most, reading
STILL = 2.0  # it begins with so much of the last scene's end: a viewer that shows no motion has a picture
# A command, and how many of its first rows are shown; of its last rows, where the number is negative.
SCENES = [
    ("bench --metric cpu 'sort -n numbers.txt' 'sort -g numbers.txt'", 7),
    ("demo", -12),
    ("compare wandb/ --arm arch --metric overview/reward --direction up", 12),
]
COLOURS = {"31": "#e06c75", "32": "#98c379", "33": "#e5c07b", "36": "#56b6c2", "2": "#8b919d"}


def record(words, folder):
    """The lines that a command prints, each with the second at which it came."""
    environment = {**os.environ, "COLUMNS": str(COLUMNS)}
    begun, lines = time.monotonic(), []
    command = subprocess.Popen(
        f"fairtrial --color always {words} 2>&1", shell=True, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True
    )
    for line in command.stdout:
        lines += [(time.monotonic() - begun, row) for row in wrapped(line.rstrip("\n"))]
    if command.wait() != 0:
        sys.exit("\n".join(line for _, line in lines))
    while not lines[-1][1]:
        lines.pop()
    return lines


def wrapped(line):
    """The rows that a line takes on a terminal."""
    rows, room = [""], COLUMNS
    for piece in re.findall(r"\x1b\[[0-9;]*m|.", line):
        if not piece.startswith("\x1b"):
            if not room:
                rows, room = [*rows, ""], COLUMNS
            room -= 1
        rows[-1] += piece
    return rows


def styled(line):
    """A line of a terminal as SVG text: colours become `tspan`s."""
    parts, style = [], ""
    for piece in re.split(r"(\x1b\[[0-9;]*m)", line):
        if piece.startswith("\x1b"):
            codes = piece[2:-1].split(";")
            colour = next((COLOURS[code] for code in codes if code in COLOURS), None)
            style = f' fill="{colour}"' if colour else ""
            style += ' font-weight="bold"' if "1" in codes else ""
        elif piece:
            parts.append(f"<tspan{style}>{escape(piece)}</tspan>" if style else escape(piece))
    return "".join(parts)


def drawing(scenes):
    total = sum(end for _, _, end in scenes)
    style, body, begin = [], [], 0.0
    for words, lines, length in scenes:
        typed = f"$ fairtrial {words}"
        rows = [(0.2, f'<tspan fill="#98c379">{escape(typed)}</tspan>'), *lines]
        for place, (at, text) in enumerate(rows):
            name = f"l{len(style)}"
            from_, to = (100 * (begin + at) / total, 100 * (begin + length) / total)
            style.append(
                f"@keyframes {name}{{0%{{opacity:0}}{from_:.2f}%{{opacity:1}}{to:.2f}%{{opacity:0}}}}"
                f".{name}{{animation:{name} {total:.1f}s infinite step-end;animation-delay:-{total - STILL:.1f}s;opacity:0}}"
            )
            body.append(f'<text class="{name}" x="20" y="{34 + HEIGHT * place}" xml:space="preserve">{text}</text>')
        last = [f"l{len(style) - 1 - back}" for back in range(len(rows))]
        begin += length
    still = ",".join(f".{name}" for name in last)
    width, height = round(40 + WIDTH * COLUMNS), 30 + HEIGHT * (ROWS + 1)
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" \
aria-labelledby="t"><title id="t">Three commands: bench times two programs, demo runs and compares a spec, compare reads \
results of W&amp;B. Each ends with a verdict and its interval.</title>
<style>{"".join(style)}@media(prefers-reduced-motion:reduce){{text{{animation:none!important}}{still}{{opacity:1}}}}</style>
<rect width="100%" height="100%" rx="8" fill="#1e2127"/><g font-family="ui-monospace, Menlo, Consolas, DejaVu Sans Mono, \
monospace" font-size="14" fill="#d7dae0">
{chr(10).join(body)}
</g></svg>
"""


def main(target):
    scenes = []
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "numbers.txt").write_text("".join(f"{number}\n" for number in range(1, 300001)))
        (folder / "wandb").mkdir()
        for run in [*FIXTURES.glob("run-trxl-*.wandb"), *FIXTURES.glob("run-vit_reset-*.wandb")]:
            shutil.copy(run, folder / "wandb")
        for words, keep in SCENES:
            lines = record(words, folder)
            lines = lines[keep:] if keep < 0 else lines[:keep]
            first, last = lines[0][0], lines[-1][0]
            pace = min(1.0, PLAYED / max(last - first, 0.001))
            played = [(TYPED + (at - first) * pace, styled(line)) for at, line in lines]
            scenes.append((words, played, TYPED + PLAYED + SHOWN))
    Path(target).write_text(drawing(scenes))


main(*sys.argv[1:])
