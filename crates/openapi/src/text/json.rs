//! Reads JSON (RFC 8259).
use super::build::{Builder, Built};
use super::{Fault, Limits, Mark};
use crate::tree::{Place, Value};

/// Reads a JSON text.
pub(super) fn read(text: &str, limits: &Limits<'_>) -> Result<Built, Fault> {
    let mut scanner = Scanner { text, bytes: text.as_bytes(), next: 0, mark: Mark::new(limits.file), marked: 0 };
    scanner.count(limits)?;
    let mut builder = Builder::new(limits);
    loop {
        scanner.value(&mut builder)?;
        // After a value: the end of its parent, a comma, or the end of the text.
        loop {
            let byte = scanner.peek();
            match builder.in_map() {
                None => {
                    return match byte {
                        None => builder.finish().ok_or_else(|| scanner.fault("a value is expected")),
                        Some(_) => Err(scanner.fault("nothing is allowed after the document")),
                    };
                }
                Some(true) if byte == Some(b'}') => scanner.close(&mut builder)?,
                Some(false) if byte == Some(b']') => scanner.close(&mut builder)?,
                Some(map) if byte == Some(b',') => {
                    scanner.next += 1;
                    if map {
                        scanner.key(&mut builder)?;
                    }
                    break;
                }
                Some(true) => return Err(scanner.fault("a comma or a closing brace is expected")),
                Some(false) => return Err(scanner.fault("a comma or a closing bracket is expected")),
            }
        }
    }
}

struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    next: usize,
    /// The place of the byte `marked`, which is never after `next`.
    mark: Mark,
    marked: usize,
}

impl Scanner<'_> {
    /// Fails if there are too many values, before memory is allocated for them.
    fn count(&mut self, limits: &Limits<'_>) -> Result<(), Fault> {
        if self.bytes.len() / 2 < limits.values {
            return Ok(());
        }
        // One value per comma and per bracket, except for brackets with nothing between them.
        let (mut values, mut inside, mut escaped, mut last) = (1_usize, false, false, b' ');
        for byte in self.bytes {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = inside,
                b'"' => inside = !inside,
                _ if inside => {}
                b' ' | b'\n' | b'\r' | b'\t' => continue,
                b',' | b'[' | b'{' => values += 1,
                b']' | b'}' if matches!(last, b'[' | b'{') => values -= 1,
                _ => {}
            }
            last = *byte;
        }
        limits.check_values(values, self.mark.place)
    }

    /// The place of the next byte.
    fn place(&mut self) -> Place {
        self.mark.advance(&self.bytes[self.marked..self.next]);
        self.marked = self.next;
        self.mark.place
    }

    fn fault(&mut self, what: &str) -> Fault {
        let at = self.place();
        if self.next >= self.bytes.len() {
            Fault::syntax(at, format!("the text ends where {}", what.replace(" is expected", " must come")))
        } else {
            Fault::syntax(at, what)
        }
    }

    /// The next byte that is no white space; `None` at the end.
    fn peek(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.bytes.get(self.next) {
            self.next += 1;
        }
        self.bytes.get(self.next).copied()
    }

    fn close(&mut self, builder: &mut Builder<'_>) -> Result<(), Fault> {
        self.next += 1;
        builder.end()
    }

    /// Reads a value up to its end, or up to the beginning of the first value in it.
    fn value(&mut self, builder: &mut Builder<'_>) -> Result<(), Fault> {
        loop {
            let byte = self.peek();
            let at = self.place();
            match byte {
                Some(b'{') => {
                    builder.begin_map(at, 0)?;
                    self.next += 1;
                    if self.peek() == Some(b'}') {
                        return self.close(builder);
                    }
                    self.key(builder)?;
                }
                Some(b'[') => {
                    builder.begin_list(at, 0)?;
                    self.next += 1;
                    if self.peek() == Some(b']') {
                        return self.close(builder);
                    }
                }
                Some(b'"') => {
                    let text = self.string()?;
                    return builder.scalar(Value::Text(text), at, 0, "");
                }
                Some(b'-' | b'0'..=b'9') => {
                    let digits = self.number()?;
                    return builder.scalar(Value::Number(digits.into()), at, 0, "");
                }
                Some(b't') if self.word("true") => return builder.scalar(Value::Bool(true), at, 0, ""),
                Some(b'f') if self.word("false") => return builder.scalar(Value::Bool(false), at, 0, ""),
                Some(b'n') if self.word("null") => return builder.scalar(Value::Null, at, 0, ""),
                _ => return Err(self.fault("a value is expected")),
            }
        }
    }

    fn word(&mut self, word: &str) -> bool {
        let found = self.bytes[self.next..].starts_with(word.as_bytes());
        if found {
            self.next += word.len();
        }
        found
    }

    /// Reads a key and its colon.
    fn key(&mut self, builder: &mut Builder<'_>) -> Result<(), Fault> {
        if self.peek() != Some(b'"') {
            return Err(self.fault("a key in quotation marks is expected"));
        }
        let at = self.place();
        let text = self.string()?;
        builder.key(text, at, false)?;
        if self.peek() != Some(b':') {
            return Err(self.fault("a colon is expected"));
        }
        self.next += 1;
        Ok(())
    }

    fn number(&mut self) -> Result<&str, Fault> {
        let start = self.next;
        if self.bytes.get(self.next) == Some(&b'-') {
            self.next += 1;
        }
        if self.bytes.get(self.next) == Some(&b'0') {
            self.next += 1;
        } else {
            self.digits()?;
        }
        if self.bytes.get(self.next) == Some(&b'.') {
            self.next += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.bytes.get(self.next) {
            self.next += 1;
            if let Some(b'+' | b'-') = self.bytes.get(self.next) {
                self.next += 1;
            }
            self.digits()?;
        }
        Ok(&self.text[start..self.next])
    }

    fn digits(&mut self) -> Result<(), Fault> {
        let start = self.next;
        while let Some(b'0'..=b'9') = self.bytes.get(self.next) {
            self.next += 1;
        }
        if start == self.next { Err(self.fault("a digit is expected")) } else { Ok(()) }
    }

    /// Reads a text in quotation marks.
    fn string(&mut self) -> Result<Box<str>, Fault> {
        self.next += 1;
        let mut start = self.next;
        let mut decoded = String::new();
        loop {
            match self.bytes.get(self.next) {
                Some(b'"') => {
                    let last = &self.text[start..self.next];
                    self.next += 1;
                    if decoded.is_empty() {
                        return Ok(last.into());
                    }
                    decoded.push_str(last);
                    return Ok(decoded.into());
                }
                Some(b'\\') => {
                    decoded.push_str(&self.text[start..self.next]);
                    decoded.push(self.escape()?);
                    start = self.next;
                }
                Some(0..0x20) => return Err(self.fault("a line end or tab in quotation marks must be escaped")),
                Some(_) => self.next += 1,
                None => return Err(self.fault("a quotation mark is expected")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, Fault> {
        self.next += 1;
        let char = match self.bytes.get(self.next) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode(),
            _ => return Err(self.fault("no such character can follow a backslash")),
        };
        self.next += 1;
        Ok(char)
    }

    /// Reads `u` and its digits, and those of the second half of a pair.
    fn unicode(&mut self) -> Result<char, Fault> {
        let first = self.unit()?;
        let second = match first {
            0xd800..0xdc00 if self.bytes[self.next..].starts_with(b"\\u") => {
                self.next += 1;
                Some(self.unit()?)
            }
            _ => None,
        };
        let units = [Some(first), second].into_iter().flatten();
        let mut chars = char::decode_utf16(units);
        match (chars.next(), chars.next()) {
            (Some(Ok(char)), None) => Ok(char),
            _ => Err(self.fault("half of a pair of \\u escapes is not a character")),
        }
    }

    fn unit(&mut self) -> Result<u16, Fault> {
        self.next += 1;
        let digits = self.bytes.get(self.next..self.next + 4).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        let unit = digits.and_then(|digits| u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        let Some(unit) = unit else { return Err(self.fault("four hexadecimal digits are expected")) };
        self.next += 4;
        Ok(unit)
    }
}
