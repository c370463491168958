//! HTML, byte for byte what the original renderer gives: hidden columns left out, alignment on the cells, hover texts on
//! the titles. Everything in a cell is text; markup in it is shown, not obeyed.

use crate::header::HeaderError;
use crate::table::Table;
use fairtrial_text::escape::xml_text;
use std::fmt::Write;

/// Renders a table; a wrong alignment is an error.
pub fn html(table: &Table) -> Result<String, HeaderError> {
    let columns = table.columns();
    if let Some(error) = columns.iter().find_map(|column| column.error.clone()) {
        return Err(error);
    }
    let mut page = String::from("<div class=\"data-table\"><table>\n<thead>\n<tr>");
    for column in columns.iter().filter(|column| !column.hidden) {
        let hover = column.hover.as_ref().map_or_else(String::new, |hover| {
            format!(" title=\"{}\"", attribute(hover))
        });
        // Writing to a string cannot fail.
        let _ = write!(page, "<th{hover}>{}</th>", text(&column.title));
    }
    page.push_str("</tr>\n</thead>\n<tbody>\n");
    for row in table.all_lines() {
        page.push_str("<tr>");
        for (place, cell) in row.cells().enumerate() {
            let column = columns.get(place);
            if column.is_some_and(|column| column.hidden) {
                continue;
            }
            let style = column
                .and_then(|column| column.align)
                .map_or_else(String::new, |align| {
                    format!(" style=\"text-align:{}\"", align.word())
                });
            let _ = write!(page, "<td{style}>{}</td>", text(&cell));
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody>\n</table></div>");
    Ok(page)
}

fn text(raw: &str) -> String {
    xml_text(raw).replace('\u{a0}', "&nbsp;")
}

fn attribute(raw: &str) -> String {
    text(raw).replace('"', "&quot;")
}
