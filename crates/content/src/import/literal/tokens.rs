//! The words, strings, brackets and types of JavaScript and TypeScript, as far as it takes to go past them.

/// Words that begin a statement. Those in a line after a computed value end it.
const STATEMENTS: [&str; 11] =
    ["async", "class", "const", "declare", "export", "function", "import", "interface", "let", "module", "var"];

/// Words before a type that is an operand of theirs.
const TYPE_OPERATORS: [&str; 3] = ["keyof", "readonly", "typeof"];

/// Blanks besides those of ASCII.
const BLANKS: [&str; 4] = ["\u{feff}", "\u{a0}", "\u{2028}", "\u{2029}"];

/// Where to stop.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Until {
    /// After the end of the open brackets.
    Balanced,
    /// At the end of the list or object around.
    Closed,
    /// Also at a comma.
    Item,
    /// Also at a semicolon, and at a line that begins a statement.
    Statement,
}

/// Goes through a text, one byte after the other.
pub(super) struct Reader<'t> {
    pub(super) text: &'t str,
    pub(super) bytes: &'t [u8],
    /// The place of the next byte.
    pub(super) at: usize,
    /// The place up to which lines are counted.
    counted: usize,
    /// The line of that place.
    line: usize,
    /// The place before which no regular expression begins. So each line is searched for its end only once.
    no_pattern_before: usize,
}

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, bytes: text.as_bytes(), at: 0, counted: 0, line: 1, no_pattern_before: 0 }
    }

    /// Goes past `: Type`, and to what follows.
    pub(super) fn annotation(&mut self) {
        self.space();
        if self.eats(b':') {
            self.of_type();
            self.space();
        }
    }

    /// Goes past a type of TypeScript.
    pub(super) fn of_type(&mut self) {
        // Whether an operand follows, and whether the last one was in parentheses, such as parameters of a function.
        let (mut is_open, mut is_function) = (true, false);
        loop {
            self.space();
            let Some(byte) = self.peek() else { return };
            match byte {
                b'<' if !is_open => self.angles(),
                b'.' | b'|' | b'&' => {
                    self.at += 1;
                    is_open = true;
                }
                b'=' if is_function && self.rest().starts_with(b"=>") => {
                    self.at += 2;
                    (is_open, is_function) = (true, false);
                }
                b'[' | b'(' => {
                    is_function = byte == b'(';
                    self.pass(byte);
                    is_open = false;
                }
                b'{' | b'\'' | b'"' | b'`' if is_open => {
                    self.pass(byte);
                    is_open = false;
                }
                byte if is_word(byte) && is_open => is_open = TYPE_OPERATORS.contains(&self.word()),
                _ => return,
            }
        }
    }

    /// Goes past the arguments of a type.
    pub(super) fn angles(&mut self) {
        let mut depth = 0_usize;
        loop {
            self.space();
            match self.peek() {
                None | Some(b';' | b']' | b'}' | b')') => return,
                Some(b'<') => {
                    self.at += 1;
                    depth += 1;
                }
                Some(b'>') => {
                    self.at += 1;
                    depth -= 1;
                    if depth == 0 {
                        return;
                    }
                }
                Some(b'=') if self.rest().starts_with(b"=>") => self.at += 2,
                Some(byte) => self.pass(byte),
            }
        }
    }

    /// Goes past what begins with a byte: a word, a string or everything in brackets, else the byte.
    pub(super) fn pass(&mut self, byte: u8) {
        match byte {
            b'\'' | b'"' | b'`' => drop(self.string()),
            b'[' | b'{' | b'(' => {
                self.at += 1;
                self.skip(Until::Balanced, vec![byte]);
            }
            byte if is_word(byte) => {
                self.word();
            }
            _ => self.at += 1,
        }
    }

    /// Goes past the end of the list, object or function around. Stops before the end of another one.
    pub(super) fn close(&mut self, closer: u8) {
        self.skip(Until::Closed, Vec::new());
        self.eats(closer);
    }

    /// Goes past an expression. `open` has the brackets that are open: `` ` `` is a template, `$` an expression in one.
    pub(super) fn skip(&mut self, until: Until, mut open: Vec<u8>) {
        // Whether a slash is a division.
        let mut is_operand = false;
        loop {
            if until == Until::Balanced && open.is_empty() {
                return;
            }
            let from = self.at;
            if open.last() != Some(&b'`') {
                self.space();
            }
            let Some(byte) = self.peek() else { return };
            if open.last() == Some(&b'`') {
                is_operand = self.template(byte, &mut open);
                continue;
            }
            let (is_outside, was_operand) = (open.is_empty(), is_operand);
            is_operand = true;
            match byte {
                b',' if is_outside && matches!(until, Until::Item | Until::Statement) => return,
                b';' if is_outside && until == Until::Statement => return,
                b')' | b']' | b'}' => {
                    if open.pop().is_none() {
                        return;
                    }
                    self.at += 1;
                }
                b'(' | b'[' | b'{' | b'`' => {
                    open.push(byte);
                    self.at += 1;
                    is_operand = false;
                }
                b'\'' | b'"' => drop(self.string()),
                b'/' if !was_operand && self.pattern() => {}
                byte if is_word(byte) => {
                    let begins_line = self.bytes.get(from..self.at).is_some_and(|blank| blank.contains(&b'\n'));
                    let may_end = is_outside && begins_line && until == Until::Statement;
                    if may_end && STATEMENTS.iter().any(|word| self.is_next(word)) {
                        return;
                    }
                    is_operand = !matches!(self.word(), "return" | "typeof" | "case" | "in" | "of");
                }
                _ => {
                    self.at += 1;
                    is_operand = false;
                }
            }
        }
    }

    /// Goes on in a template, whose next byte this is. Returns whether a slash after it is a division.
    fn template(&mut self, byte: u8, open: &mut Vec<u8>) -> bool {
        match byte {
            b'`' => {
                open.pop();
                self.at += 1;
            }
            b'\\' => self.at = self.bytes.len().min(self.at + 2),
            b'$' if self.rest().starts_with(b"${") => {
                open.push(b'$');
                self.at += 2;
                return false;
            }
            _ => self.at += 1,
        }
        true
    }

    /// Goes past a regular expression. Returns whether there is one.
    fn pattern(&mut self) -> bool {
        if self.at < self.no_pattern_before {
            return false;
        }
        let (mut at, mut is_class) = (self.at + 1, false);
        loop {
            match self.bytes.get(at) {
                None | Some(b'\n') => {
                    self.no_pattern_before = at;
                    return false;
                }
                Some(b'/') if !is_class => {
                    self.at = at + 1;
                    return true;
                }
                Some(b'\\') => at += 1,
                Some(b'[') => is_class = true,
                Some(b']') => is_class = false,
                Some(_) => {}
            }
            at += 1;
        }
    }

    /// Reads a string. `None` if it does not end in its line, or if it is a template with expressions.
    pub(super) fn string(&mut self) -> Option<String> {
        let quote = self.peek()?;
        self.at += 1;
        let mut text = String::new();
        loop {
            let from = self.at;
            while self.peek().is_some_and(|byte| byte != quote && !matches!(byte, b'\\' | b'\n' | b'$')) {
                self.at += 1;
            }
            text.push_str(self.text.get(from..self.at).unwrap_or_default());
            match self.peek()? {
                byte if byte == quote => {
                    self.at += 1;
                    return Some(text.replace(is_unprintable, "\u{fffd}"));
                }
                b'\\' => self.escape(&mut text),
                b'\n' if quote != b'`' => return None,
                b'$' if quote == b'`' && self.rest().starts_with(b"${") => {
                    self.at += 2;
                    self.skip(Until::Balanced, vec![b'`', b'$']);
                    return None;
                }
                byte => {
                    text.push(char::from(byte));
                    self.at += 1;
                }
            }
        }
    }

    fn escape(&mut self, text: &mut String) {
        self.at += 1;
        // Another character stands for itself.
        let Some(byte) = self.peek().filter(u8::is_ascii) else { return };
        self.at += 1;
        match byte {
            b'n' => text.push('\n'),
            b'r' | b't' | b'v' | b'f' => text.push(' '),
            b'\n' => {}
            b'\r' => {
                self.eats(b'\n');
            }
            b'x' => text.extend(self.hex(2).and_then(char::from_u32)),
            b'u' => text.extend(self.code()),
            byte => text.push(char::from(byte)),
        }
    }

    /// Reads the number of a character after `\u`.
    fn code(&mut self) -> Option<char> {
        if self.eats(b'{') {
            let digits = self.rest().iter().take(7).position(|byte| *byte == b'}')?;
            let code = self.hex(digits)?;
            self.at += 1;
            return char::from_u32(code);
        }
        let first = self.hex(4)?;
        if !(0xd800..0xdc00).contains(&first) || !self.rest().starts_with(b"\\u") {
            return char::from_u32(first);
        }
        self.at += 2;
        let second = self.hex(4)?.checked_sub(0xdc00).filter(|second| *second < 0x400)?;
        char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + second)
    }

    fn hex(&mut self, digits: usize) -> Option<u32> {
        let code = self.text.get(self.at..self.at + digits)?;
        if !code.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        self.at += digits;
        u32::from_str_radix(code, 16).ok()
    }

    /// Goes past blanks and comments.
    pub(super) fn space(&mut self) {
        loop {
            match self.rest() {
                [b'/', b'/', rest @ ..] => self.at += 2 + rest.iter().take_while(|byte| **byte != b'\n').count(),
                [b'/', b'*', rest @ ..] => {
                    let end = rest.windows(2).position(|pair| pair == b"*/");
                    self.at += 2 + end.map_or(rest.len(), |end| end + 2);
                }
                [byte, ..] if byte.is_ascii_whitespace() => self.at += 1,
                rest => {
                    let blank = BLANKS.iter().find(|blank| rest.starts_with(blank.as_bytes()));
                    let Some(blank) = blank else { return };
                    self.at += blank.len();
                }
            }
        }
    }

    pub(super) fn word(&mut self) -> &'t str {
        let from = self.at;
        while self.peek().is_some_and(is_word) {
            self.at += 1;
        }
        self.text.get(from..self.at).unwrap_or_default()
    }

    /// Whether this word follows.
    pub(super) fn is_next(&mut self, word: &str) -> bool {
        self.space();
        let rest = self.rest().strip_prefix(word.as_bytes());
        rest.is_some_and(|rest| !rest.first().copied().is_some_and(is_word))
    }

    /// Goes past the sign of an assignment. Returns whether there is one.
    pub(super) fn is_assigned(&mut self) -> bool {
        self.space();
        let is_other = matches!(self.bytes.get(self.at + 1), Some(b'=' | b'>'));
        !is_other && self.eats(b'=')
    }

    pub(super) fn eats(&mut self, byte: u8) -> bool {
        let is_there = self.peek() == Some(byte);
        self.at += usize::from(is_there);
        is_there
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    pub(super) fn rest(&self) -> &'t [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// The line of the next byte.
    pub(super) fn line(&mut self) -> usize {
        let passed = self.bytes.get(self.counted..self.at).unwrap_or_default();
        self.line += passed.iter().filter(|byte| **byte == b'\n').count();
        self.counted = self.at;
        self.line
    }
}

/// Whether a byte is part of a name or number.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || !byte.is_ascii()
}

/// Whether a character has no place in a text.
fn is_unprintable(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t')
}
