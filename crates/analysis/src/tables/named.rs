//! The run that `--baseline` names: what it has is the baseline, and where the table says something else, that is told.

use super::post_line::Side;
use fairtrial_spec::TableColumn;
use fairtrial_text::digits::Digits;

/// What a table and the run that is named for it do not have in common.
#[derive(Default)]
pub(super) struct Named {
    rows: Vec<Row>,
}

struct Row {
    key: String,
    /// Columns in which the table has another number.
    differs: Vec<String>,
    /// Columns in which the run has none.
    missing: Vec<String>,
}

impl Named {
    /// The side to compare with: number and evidence come from one place, the run where it has a number.
    pub(super) fn baseline(
        &mut self,
        (key, column): (&str, &TableColumn),
        digits: Digits,
        in_table: Side,
        in_run: Side,
    ) -> Side {
        let title = &column.title;
        match (in_table.value, in_run.value) {
            (Some(_), None) => {
                self.row(key).missing.push(title.clone());
                return in_table;
            }
            (Some(table), Some(run)) if digits.write(table) != digits.write(run) => {
                let [table, run] = [table, run].map(|value| digits.write(value));
                let text = format!("{title} {table} in the table, {run} in the run");
                self.row(key).differs.push(text);
            }
            _ => {}
        }
        in_run
    }

    fn row(&mut self, key: &str) -> &mut Row {
        if let Some(place) = self.rows.iter().position(|row| row.key == key) {
            return &mut self.rows[place];
        }
        self.rows.push(Row {
            key: key.to_owned(),
            differs: Vec::new(),
            missing: Vec::new(),
        });
        let last = self.rows.len() - 1;
        &mut self.rows[last]
    }

    /// What a reader should know, row by row.
    pub(super) fn notes(&self, run: &str) -> Vec<String> {
        let mut notes = Vec::new();
        for Row {
            key,
            differs,
            missing,
        } in &self.rows
        {
            if !differs.is_empty() {
                notes.push(format!(
                    "{key}: the table does not have the numbers of {run}, which are compared: {}",
                    differs.join("; ")
                ));
            }
            if !missing.is_empty() {
                notes.push(format!(
                    "{key}: {run} has no number, so the table's is compared: {}",
                    missing.join(", ")
                ));
            }
        }
        notes
    }
}
