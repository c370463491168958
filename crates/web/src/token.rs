//! The secret in the address.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};

/// Bytes of randomness.
const BYTES: usize = 18;

/// A secret that nobody guesses.
#[derive(Clone)]
pub(crate) struct Token(String);

impl Token {
    /// A new one, from the system's own source.
    pub(crate) fn new() -> io::Result<Self> {
        let mut bytes = [0; BYTES];
        File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        Ok(Self(fairtrial_model::hex(&bytes)))
    }

    pub(crate) fn text(&self) -> &str {
        &self.0
    }

    /// Whether this is it. How long that takes does not depend on how much of it is right.
    pub(crate) fn is(&self, other: &str) -> bool {
        let (own, other) = (self.0.as_bytes(), other.as_bytes());
        let differs = own.iter().zip(other).fold(0, |all, (a, b)| all | (a ^ b));
        own.len() == other.len() && differs == 0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::Token;

    #[test]
    fn a_token_is_only_itself() {
        let token = Token::new().unwrap();
        assert_eq!(token.text().len(), 36);
        assert!(token.is(token.text()));
        assert!(!token.is(&token.text()[..35]));
        assert!(!token.is(""));
        assert!(!token.is(Token::new().unwrap().text()));
    }
}
