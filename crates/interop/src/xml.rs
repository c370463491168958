//! XML element by element: names and attributes, which is where results stand.

use crate::error::{FilePlace, InteropError};
use quick_xml::events::{BytesStart, Event};
use std::io::{BufReader, Read};

/// Bytes of one element; more can only be an attack or another file.
const MOST_ELEMENT: usize = 16 << 20;

/// A reader of XML.
pub(crate) struct Xml<R: Read> {
    reader: quick_xml::Reader<BufReader<R>>,
    buffer: Vec<u8>,
    name: String,
    depth: usize,
    /// The name of an element without content, which closes at once.
    closing: Option<String>,
}

/// An element's beginning or end.
pub(crate) enum XmlPiece {
    Open {
        name: String,
        attributes: Attributes,
    },
    Close {
        name: String,
    },
}

/// The attributes of an element.
#[derive(Debug, Default)]
pub(crate) struct Attributes(Vec<(String, String)>);

impl Attributes {
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }
}

impl<R: Read> Xml<R> {
    pub(crate) fn new(name: &str, source: R) -> Self {
        Self {
            reader: quick_xml::Reader::from_reader(BufReader::new(source)),
            buffer: Vec::new(),
            name: name.to_owned(),
            depth: 0,
            closing: None,
        }
    }

    /// Where the reader stands; XML has no lines that matter, so the byte is told.
    pub(crate) fn place(&self) -> FilePlace {
        FilePlace::of(format!(
            "{} (byte {})",
            self.name,
            self.reader.buffer_position()
        ))
    }

    /// The next beginning or end of an element; nothing at the end of the file.
    pub(crate) fn next(&mut self) -> Result<Option<XmlPiece>, InteropError> {
        if let Some(name) = self.closing.take() {
            return Ok(Some(XmlPiece::Close { name }));
        }
        loop {
            self.buffer.clear();
            let event = self.reader.read_event_into(&mut self.buffer);
            let event = match event {
                Ok(event) => event.into_owned(),
                Err(error) => return Err(self.wrong(&error)),
            };
            if self.buffer.len() > MOST_ELEMENT {
                let message = format!("one element takes more than {} MiB", MOST_ELEMENT >> 20);
                return Err(InteropError::content(self.place(), message));
            }
            match event {
                Event::Eof if self.depth > 0 => {
                    return Err(InteropError::Cut {
                        place: self.place(),
                    });
                }
                Event::Eof => return Ok(None),
                Event::Start(element) => {
                    self.depth += 1;
                    return self.open(&element).map(Some);
                }
                Event::Empty(element) => {
                    let piece = self.open(&element)?;
                    self.closing = Some(name_of(element.name().as_ref()));
                    return Ok(Some(piece));
                }
                Event::End(element) => {
                    self.depth = self.depth.saturating_sub(1);
                    let name = name_of(element.name().as_ref());
                    return Ok(Some(XmlPiece::Close { name }));
                }
                _ => {}
            }
        }
    }

    fn open(&self, element: &BytesStart<'_>) -> Result<XmlPiece, InteropError> {
        let mut attributes = Vec::new();
        for attribute in element.attributes() {
            let wrong = |error: String| InteropError::content(self.place(), error);
            let attribute = attribute.map_err(|error| wrong(error.to_string()))?;
            let raw = String::from_utf8_lossy(&attribute.value).into_owned();
            let value = quick_xml::escape::unescape(&raw);
            let value = value
                .map_err(|error| wrong(error.to_string()))?
                .into_owned();
            attributes.push((name_of(attribute.key.as_ref()), value));
        }
        Ok(XmlPiece::Open {
            name: name_of(element.name().as_ref()),
            attributes: Attributes(attributes),
        })
    }

    fn wrong(&self, error: &quick_xml::Error) -> InteropError {
        match error {
            quick_xml::Error::Syntax(quick_xml::errors::SyntaxError::UnclosedTag) => {
                InteropError::Cut {
                    place: self.place(),
                }
            }
            other => InteropError::content(self.place(), other.to_string()),
        }
    }
}

fn name_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
