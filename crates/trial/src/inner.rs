//! The binary's own programs, which a launcher becomes without starting the binary anew.

/// One of them.
#[derive(Debug, Clone, Copy)]
pub struct Inner {
    /// The hidden first argument by which it is called.
    pub name: &'static str,
    /// The program: the arguments behind its name in, the exit code out.
    pub main: fn(&[String]) -> u8,
}

impl Inner {
    /// The program that a command line calls, and its arguments.
    pub fn called<'a>(
        list: &'static [Self],
        command: &'a [String],
    ) -> Option<(&'static Self, &'a [String])> {
        let (name, arguments) = command.get(1..)?.split_first()?;
        let inner = list.iter().find(|inner| inner.name == name)?;
        Some((inner, arguments))
    }
}
