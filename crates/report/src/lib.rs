//! Analysis results as console tables, Markdown, CSV and JSON.
