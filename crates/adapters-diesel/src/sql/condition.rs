//! Conditions on sections, in the language of each database.
use domain::content::search::Condition;

/// Stands for the number of the part in [`tsquery_of_a_part`]. No term contains it.
const PART: char = '\u{1}';

/// The syntax of a condition on one database.
struct Syntax {
    quote: char,
    /// What each term begins with.
    before: &'static str,
    prefix: &'static str,
    all: &'static str,
    any: &'static str,
}

const FTS5: Syntax = Syntax { quote: '"', before: "", prefix: "*", all: " AND ", any: " OR " };
const TSQUERY: Syntax = Syntax { quote: '\'', before: "\u{1}", prefix: ":*", all: " & ", any: " | " };

/// Any of these conditions, for FTS5.
pub(super) fn fts5_any(conditions: &[Condition]) -> String {
    let mut text = String::new();
    list(conditions, FTS5.any, &FTS5, &mut text);
    text
}

/// A condition as a `tsquery`, with [`PART`] before each term.
pub(super) fn tsquery_of_a_part(condition: &Condition) -> String {
    let mut text = String::new();
    list(std::slice::from_ref(condition), TSQUERY.any, &TSQUERY, &mut text);
    text
}

fn write(condition: &Condition, syntax: &Syntax, to: &mut String) {
    match condition {
        Condition::All(all) => list(all, syntax.all, syntax, to),
        Condition::Any(any) => list(any, syntax.any, syntax, to),
        Condition::Term(term) => quote(term, syntax, to),
        Condition::Prefix(term) => {
            quote(term, syntax, to);
            to.push_str(syntax.prefix);
        }
    }
}

/// Writes conditions in parentheses, with an operator between them.
fn list(conditions: &[Condition], operator: &str, syntax: &Syntax, to: &mut String) {
    to.push('(');
    for (index, condition) in conditions.iter().enumerate() {
        if index > 0 {
            to.push_str(operator);
        }
        write(condition, syntax, to);
    }
    to.push(')');
}

/// Writes a term in quotes. Terms of the domain contain neither quotes nor backslashes nor control characters; this
/// escapes them nevertheless.
fn quote(term: &str, syntax: &Syntax, to: &mut String) {
    to.push(syntax.quote);
    to.push_str(syntax.before);
    for char in term.chars().filter(|char| *char != PART) {
        if char == syntax.quote || (char == '\\' && syntax.quote == '\'') {
            to.push(char);
        }
        to.push(char);
    }
    to.push(syntax.quote);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn term(term: &str) -> Condition {
        Condition::Term(term.to_owned())
    }

    #[test]
    fn a_condition_is_written_for_each_database() {
        let any = Condition::Any(vec![term("b"), Condition::Prefix("~b".to_owned())]);
        let condition = Condition::All(vec![term("a"), any]);
        assert_eq!(tsquery_of_a_part(&condition), "(('\u{1}a' & ('\u{1}b' | '\u{1}~b':*)))");
        assert_eq!(fts5_any(&[condition, term("c")]), "((\"a\" AND (\"b\" OR \"~b\"*)) OR \"c\")");
    }

    #[test]
    fn what_a_language_could_mean_is_escaped() {
        assert_eq!(tsquery_of_a_part(&term("a'b\\c\"\u{1}")), "('\u{1}a''b\\\\c\"')");
        assert_eq!(fts5_any(&[term("a'b\\c\"")]), "(\"a'b\\c\"\"\")");
    }
}
