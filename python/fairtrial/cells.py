"""The part of a notebook that an experiment needs: its class, and what it names, from the cells that were run."""

import ast
import sys
from typing import Any, Dict, Iterator, List, Set, Tuple


def shell() -> Any:
    """The shell of a notebook or of IPython, where this runs in one: a script may have imported IPython as well."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None else None


def definitions_of(name: str) -> str:
    """The source of a class and of everything in the cells that it names, in the order of the cells."""
    here = shell()
    if here is None:
        raise TypeError(f"{name} is typed at a prompt: the worker cannot find it; write it to a module")
    # Parsed: without the magic words of notebooks.
    return collected(name, list(here.history_manager.input_hist_parsed))


def collected(name: str, cells: List[str]) -> str:
    """Of every name, its last binding."""
    statements: List[Tuple[str, Set[str]]] = []
    bound: Dict[str, int] = {}
    for cell in cells:
        for node, source in top_level(cell):
            for target in names_bound(node):
                bound[target] = len(statements)
            statements.append((source, names_used(node)))
    wanted: Set[int] = set()
    due = [name]
    while due:
        place = bound.get(due.pop())
        if place is not None and place not in wanted:
            wanted.add(place)
            due.extend(statements[place][1])
    return "\n\n".join(statements[place][0] for place in sorted(wanted))


def top_level(cell: str) -> Iterator[Tuple[ast.stmt, str]]:
    try:
        body = ast.parse(cell).body
    except SyntaxError:
        # It failed when it was run, too.
        return
    for node in body:
        decorators = getattr(node, "decorator_list", [])
        first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
        yield node, "\n".join(cell.splitlines()[first - 1 : node.end_lineno])


def names_bound(node: ast.stmt) -> Set[str]:
    """The names that a definition, an import or an assignment makes."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {node.name}
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return {alias.asname or alias.name.split(".")[0] for alias in node.names}
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        return {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
    return set()


def names_used(node: ast.stmt) -> Set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
