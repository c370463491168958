"""A reporter: reads the data of a report, writes a text file."""

import os


def text_report(result, output_dir):
    """One line per task, arm and metric, with its mean."""
    lines = [f"{result['run']['name']} {result['run']['stamp']}", "=" * 50]
    for cell in result["summary"]["cells"]:
        place = " ".join(part for part in (cell["task"], cell.get("arm", "")) if part)
        for metric in cell["metrics"]:
            numbers = metric.get("numbers")
            mean = f"{numbers['mean']:.3f}" if numbers else "no value"
            lines.append(f"{place}: {metric['metric']} = {mean} (n = {metric['n']})")
    with open(os.path.join(output_dir, "report.txt"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
