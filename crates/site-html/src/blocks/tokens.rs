//! Code as tokens with classes.
use std::sync::LazyLock;
use syntaxmate::Highlighter;

/// The maximum length of code with classes, in bytes.
const MAX_BYTES: usize = 200 * 1024;

static HIGHLIGHTER: LazyLock<Option<Highlighter>> = LazyLock::new(|| Highlighter::bundled().ok());

/// A part of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'c> {
    pub(super) class: Option<&'static str>,
    pub(super) text: &'c str,
}

/// Names of languages that the highlighter has under another name.
const ALIASES: [(&str, &str); 35] = [
    ("ash", "shellscript"),
    ("asp", "razor"),
    ("aspx", "razor"),
    ("bash-session", "shellsession"),
    ("cfg", "ini"),
    ("conf", "ini"),
    ("curl", "shellscript"),
    ("delphi", "pascal"),
    ("dosbatch", "bat"),
    ("fish-shell", "fish"),
    ("fortran", "fortran-free-form"),
    ("git", "shellscript"),
    ("golang", "go"),
    ("h", "c"),
    ("hpp", "cpp"),
    ("htm", "html"),
    ("jsonp", "json"),
    ("jsp", "html"),
    ("ksh", "shellscript"),
    ("mysql", "sql"),
    ("nodejs", "javascript"),
    ("objectivec", "objective-c"),
    ("openapi", "yaml"),
    ("patch", "diff"),
    ("pgsql", "sql"),
    ("react", "jsx"),
    ("sh-session", "shellsession"),
    ("shell-session", "shellsession"),
    ("sqlite", "sql"),
    ("svg", "xml"),
    ("swagger", "yaml"),
    ("terminal", "shellsession"),
    ("tsql", "sql"),
    ("vbnet", "vb"),
    ("xhtml", "html"),
];

/// The kinds of tokens: the start of a TextMate scope, and the class. The first that fits wins.
const KINDS: [(&str, Option<&str>); 65] = [
    ("comment", Some("o-tc")),
    ("punctuation.definition.comment", Some("o-tc")),
    ("constant.character.escape", Some("o-te")),
    ("constant.other.placeholder", Some("o-te")),
    ("string.regexp", Some("o-tr")),
    ("punctuation.definition.string", Some("o-ts")),
    ("punctuation.section.embedded", Some("o-te")),
    ("punctuation.definition.template-expression", Some("o-te")),
    ("meta.embedded", None),
    ("meta.template.expression", None),
    ("meta.interpolation", None),
    ("string.unquoted.plain.out.yaml", Some("o-ts")),
    ("string", Some("o-ts")),
    ("constant.numeric", Some("o-tn")),
    ("constant.language", Some("o-tn")),
    ("constant.other.color", Some("o-tn")),
    ("constant", Some("o-tn")),
    ("keyword.operator.new", Some("o-tk")),
    ("keyword.operator.expression", Some("o-tk")),
    ("keyword.operator.logical.python", Some("o-tk")),
    ("keyword.operator", Some("o-to")),
    ("keyword.other.unit", Some("o-tn")),
    ("keyword", Some("o-tk")),
    ("storage.type.function.arrow", Some("o-to")),
    ("storage.type.numeric", Some("o-tn")),
    ("storage", Some("o-tk")),
    ("entity.name.function.macro", Some("o-tf")),
    ("entity.name.function", Some("o-tf")),
    ("support.function", Some("o-tf")),
    ("entity.name.command", Some("o-tf")),
    ("meta.function-call.generic", Some("o-tf")),
    ("variable.function", Some("o-tf")),
    ("entity.name.type", Some("o-tt")),
    ("entity.name.class", Some("o-tt")),
    ("entity.name.struct", Some("o-tt")),
    ("entity.name.enum", Some("o-tt")),
    ("entity.name.namespace", Some("o-tt")),
    ("entity.other.inherited-class", Some("o-tt")),
    ("support.type.property-name", Some("o-tp")),
    ("support.type", Some("o-tt")),
    ("support.class", Some("o-tt")),
    ("entity.name.tag.yaml", Some("o-tp")),
    ("entity.name.tag", Some("o-tg")),
    ("entity.other.attribute-name", Some("o-ta")),
    ("punctuation.definition.tag", Some("o-tg")),
    ("variable.language", Some("o-tk")),
    ("variable.parameter", Some("o-tv")),
    ("variable.other.property", Some("o-tp")),
    ("variable.other.object.property", Some("o-tp")),
    ("meta.object-literal.key", Some("o-tp")),
    ("support.variable", Some("o-tp")),
    ("support.constant", Some("o-tn")),
    ("entity.name.section", Some("o-th")),
    ("markup.heading", Some("o-th")),
    ("markup.inserted", Some("o-ti")),
    ("markup.deleted", Some("o-td")),
    ("markup.bold", Some("o-tb")),
    ("markup.inline.raw", Some("o-ts")),
    ("markup.underline.link", Some("o-ts")),
    ("punctuation.definition.heading", Some("o-th")),
    ("punctuation.separator.prompt", Some("o-to")),
    ("entity.other.prompt-prefix", Some("o-to")),
    ("punctuation.support.type.property-name", Some("o-tp")),
    ("punctuation", None),
    ("invalid", None),
];

/// The class of a token with these scopes, the outermost one first.
fn class<'s>(scopes: impl Iterator<Item = &'s str>) -> Option<&'static str> {
    let scopes: Vec<&str> = scopes.collect();
    let kind = |scope: &&str| {
        // Most of the kinds begin with another letter: to look at it first is much faster.
        let first = scope.as_bytes().first();
        let fits = |start: &str| {
            let begins = start.as_bytes().first() == first;
            begins && scope.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        KINDS.iter().find(|(start, _)| fits(start)).map(|(_, class)| *class)
    };
    scopes.iter().rev().find_map(kind).flatten()
}

/// The name that the highlighter has for a language; `None` for one that it does not know.
fn language(name: &str) -> Option<String> {
    // Some programs write more after the language: `rust,ignore`.
    let name = name.trim().split([' ', '\t', ',', '{']).next().unwrap_or_default().to_ascii_lowercase();
    let plain = name.strip_prefix("language-").or_else(|| name.strip_prefix("lang-")).unwrap_or(&name);
    let found = ALIASES.binary_search_by_key(&plain, |(alias, _)| alias);
    Some(found.map_or(plain, |at| ALIASES[at].1).to_owned()).filter(|name| !name.is_empty())
}

/// Whether a language is Rust.
pub(super) fn is_rust(name: &str) -> bool {
    language(name).is_some_and(|name| matches!(name.as_str(), "rust" | "rs"))
}

/// The lines of code as tokens. Without a language, with one that is not known and if the code is too long, each line
/// is one token without a class.
pub(super) fn lines<'c>(code: &'c str, name: Option<&str>) -> Vec<Vec<Token<'c>>> {
    let plain = |line: &'c str| match line {
        "" => vec![],
        text => vec![Token { class: None, text }],
    };
    let highlighter = HIGHLIGHTER.as_ref().filter(|_| code.len() <= MAX_BYTES);
    let tokenized = highlighter.zip(name.and_then(language)).and_then(|(one, name)| one.tokenize(&name, code).ok());
    let Some(document) = tokenized else { return code.split('\n').map(plain).collect() };
    let mut source = code.split('\n');
    let mut all = Vec::new();
    for (line, text) in document.lines().iter().zip(source.by_ref()) {
        let mut tokens = Tokens { text, end: 0, all: Vec::new() };
        for token in line.tokens() {
            let range = token.range();
            tokens.push(range.start, None);
            // The grammar of sessions leaves commands whole.
            let command = text.get(range.clone()).filter(|_| token.scopes().last() == Some("source.shell"));
            match command.and_then(|command| highlighter?.tokenize("shellscript", command).ok()) {
                Some(command) => {
                    for token in command.lines().first().map(|line| line.tokens()).unwrap_or_default() {
                        tokens.push(range.start + token.range().end, class(token.scopes()));
                    }
                }
                None => tokens.push(range.end, class(token.scopes())),
            }
        }
        tokens.push(text.len(), None);
        all.push(tokens.all);
    }
    all.extend(source.map(plain));
    all
}

/// The tokens of a line, as far as they are known.
struct Tokens<'c> {
    text: &'c str,
    end: usize,
    all: Vec<Token<'c>>,
}

impl<'c> Tokens<'c> {
    /// Adds what is up to a byte. It becomes one token with what is before if both have the same class.
    fn push(&mut self, to: usize, class: Option<&'static str>) {
        let to = to.min(self.text.len());
        let Some(text) = self.text.get(self.end..to).filter(|text| !text.is_empty()) else { return };
        // Blanks look the same in all classes.
        let joins = |last: &Token<'_>| last.class == class || text.trim().is_empty();
        match self.all.last_mut().filter(|last| joins(last)) {
            Some(last) => last.text = &self.text[self.end - last.text.len()..to],
            None => self.all.push(Token { class: class.filter(|_| !text.trim().is_empty()), text }),
        }
        self.end = to;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    #[test]
    fn aliases_are_in_order_and_lead_to_languages() {
        assert!(ALIASES.is_sorted_by(|a, b| a.0 < b.0));
        let highlighter = HIGHLIGHTER.as_ref().expect("a highlighter");
        for (alias, name) in ALIASES {
            assert!(highlighter.tokenize(name, "x").is_ok(), "{alias} is {name}");
            assert!(highlighter.tokenize(alias, "x").is_err(), "{alias} needs no alias");
        }
    }

    #[test]
    fn common_languages_are_known() {
        let names = "js javascript ts typescript jsx tsx json json5 jsonc yml yaml toml sh bash shell zsh console \
            shell-session rs rust py python rb ruby go golang java kt kotlin swift c cpp c++ cs c# csharp \
            php html css scss sql xml diff docker dockerfile makefile graphql http ini md markdown \
            powershell ps1 lua perl r scala dart elixir haskell nginx terraform hcl tf vue svelte proto \
            protobuf mermaid objective-c Powershell language-js solidity groovy latex";
        let highlighter = HIGHLIGHTER.as_ref().expect("a highlighter");
        let is_known = |name: &&str| language(name).is_some_and(|name| highlighter.tokenize(&name, "x").is_ok());
        let unknown: Vec<&str> = names.split(' ').filter(|name| !is_known(name)).collect();
        assert_eq!(unknown, [""; 0]);
    }

    #[rstest]
    #[case("rs", "let x = \"a\"; // b", "o-tk:let |:x |o-to:= |o-ts:\"a\"|:; |o-tc:// b")]
    #[case("json", "{\"a\": 1}", ":{|o-tp:\"a\"|:: |o-tn:1|:}")]
    #[case("yml", "a: b", "o-tp:a|:: |o-ts:b")]
    #[case("console", "$ ls 'a'", "o-to:$ |o-tf:ls |o-ts:'a'")]
    #[case("unknown", "a b", ":a b")]
    fn tokens_have_classes(#[case] name: &str, #[case] code: &str, #[case] expected: &str) {
        let lines = lines(code, Some(name));
        let shown = lines[0].iter().map(|token| format!("{}:{}", token.class.unwrap_or_default(), token.text));
        assert_eq!(shown.collect::<Vec<_>>().join("|"), expected);
    }

    proptest! {
        #[test]
        fn tokens_are_the_code(code in "[ -~\n\t\"'<>&äé日\u{1f600}]{0,200}", at in 0..6_usize) {
            let name = ["js", "rust", "yaml", "html", "sh", "diff"][at];
            let lines = lines(&code, Some(name));
            let text: Vec<String> = lines.iter().map(|line| line.iter().map(|token| token.text).collect()).collect();
            prop_assert_eq!(text.join("\n"), code);
        }
    }
}
