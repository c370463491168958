//! A long list of small values, read by several threads: one finds where each value ends, the others read them.

use super::{Done, Json};
use serde::de::DeserializeOwned;
use std::io::Read;

/// Bytes of values that are read beside those that come after them.
const TOGETHER: usize = 256 << 10;
/// The same of one thread's part.
const FOR_A_THREAD: usize = 32 << 10;

/// The texts of some values.
#[derive(Default)]
struct Texts {
    bytes: Vec<u8>,
    /// Where each ends, and the line on which it begins.
    ends: Vec<(usize, u64)>,
}

impl Texts {
    /// Divides them into parts of about a size, each with its values.
    fn parts(&self) -> Vec<Vec<(&[u8], u64)>> {
        let mut parts = vec![Vec::new()];
        let (mut start, mut begun) = (0, 0);
        for (end, line) in &self.ends {
            if start - begun > FOR_A_THREAD {
                parts.push(Vec::new());
                begun = start;
            }
            if let Some(part) = parts.last_mut() {
                part.push((&self.bytes[start..*end], *line));
            }
            start = *end;
        }
        parts
    }
}

impl<R: Read> Json<R> {
    /// Shows every table of an array to `each`, in their order. One that is not written as usual (with numbers that JSON does
    /// not have, with a key twice) or is wrong is read by `carefully`, which says what is wrong and where.
    pub(crate) fn array_together<T: DeserializeOwned + Send>(
        &mut self,
        carefully: impl Fn(&mut Json<&[u8]>) -> Done<T> + Sync,
        mut each: impl FnMut(T),
    ) -> Done<()> {
        let name = self.name.clone();
        let read = |text: &[u8], line: u64| {
            // A list could stand for a table whose keys are in the right order.
            let usual = text.starts_with(b"{").then(|| serde_json::from_slice(text));
            if let Some(Ok(value)) = usual {
                return Ok(value);
            }
            let mut json = Json::new(&*name, text);
            json.line = line;
            carefully(&mut json)
        };
        let mut place = 0;
        let mut texts = Texts::default();
        let mut found = self.some(&mut place, &mut texts);
        while !texts.ends.is_empty() {
            let mut next = Texts::default();
            let mut values: Vec<Vec<Done<T>>> = Vec::new();
            let parts = texts.parts();
            values.resize_with(parts.len(), Vec::new);
            rayon::in_place_scope(|scope| {
                for (part, values) in parts.into_iter().zip(&mut values) {
                    let read = &read;
                    scope.spawn(move |_| {
                        values.extend(part.into_iter().map(|(text, line)| read(text, line)));
                    });
                }
                if matches!(found, Ok(true)) {
                    found = self.some(&mut place, &mut next);
                }
            });
            for value in values.into_iter().flatten() {
                each(value?);
            }
            texts = next;
        }
        found.map(|_| ())
    }

    /// Copies some more elements of an array; whether there may be others behind them.
    fn some(&mut self, place: &mut usize, texts: &mut Texts) -> Done<bool> {
        while texts.bytes.len() < TOGETHER {
            if !self.element(*place)? {
                return Ok(false);
            }
            *place += 1;
            let line = self.copy(&mut texts.bytes)?;
            texts.ends.push((texts.bytes.len(), line));
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Done, Json};
    use crate::error::InteropError;
    use serde::Deserialize;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Point {
        x: f64,
    }

    fn carefully(json: &mut Json<&[u8]>) -> Done<Point> {
        let mut x = 0.0;
        json.object(|key, json| match key {
            "x" => {
                x = json.value(key)?;
                Ok(())
            }
            _ => json.skip(),
        })?;
        Ok(Point { x })
    }

    fn points(text: &str) -> (Vec<f64>, Done<()>) {
        let mut found = Vec::new();
        let mut json = Json::new("points", text.as_bytes());
        let read = json.array_together(carefully, |point: Point| found.push(point.x));
        (found, read)
    }

    #[test]
    fn values_come_in_their_order_however_many_there_are() {
        for count in [0_u32, 1, 2, 40_000] {
            let all = (0..count).map(|x| format!("{{\"y\": \"{x}]}}\", \"x\": {x}}}"));
            let all: Vec<String> = all.collect();
            let (found, read) = points(&format!("[{}]", all.join(",\n")));
            read.unwrap();
            let wanted: Vec<f64> = (0..count).map(f64::from).collect();
            assert_eq!(found, wanted);
        }
    }

    #[test]
    fn what_is_unusual_is_read_carefully_and_what_is_wrong_is_named() {
        let (found, read) = points(r#"[{"x": 1, "x": 2}, {"x": 3, "z": NaN}]"#);
        read.unwrap();
        assert_eq!(found, [2.0, 3.0]);
        let (found, read) = points("[{\"x\": 1},\n[2],\n{\"x\": 3}]");
        assert_eq!(found, [1.0]);
        let message = read.unwrap_err().to_string();
        assert!(
            message.contains("points") && message.contains('2'),
            "{message}"
        );
        let (found, read) = points("[{\"x\": 1},\n\n{\"x\": \"word\"}]");
        assert_eq!(found, [1.0]);
        let message = read.unwrap_err().to_string();
        assert!(message.contains('3') && message.contains('x'), "{message}");
    }

    #[test]
    fn what_stands_before_a_cut_is_there() {
        let (found, read) = points(r#"[{"x": 1}, {"x": 2}, {"x": 3"#);
        assert_eq!(found, [1.0, 2.0]);
        assert!(matches!(read, Err(InteropError::Cut { .. })));
    }
}
