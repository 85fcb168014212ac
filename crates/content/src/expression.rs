//! Expressions in content: conditions, and values put into text. The language is CEL; because writers know the
//! JavaScript form, `===` and `!==` mean `==` and `!=`.
use super::page::Variable;
use cel::common::ast::{EntryExpr, Expr};
use cel::objects::Key;
use cel::{Context, IdedExpr, Program, Value};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The maximum length of an expression, in characters.
pub const MAX_EXPRESSION: usize = 1024;

/// The stack that parsing and evaluating get, in bytes. The parser and the interpreter recurse with the text, and a
/// text of [`MAX_EXPRESSION`] characters nests deep enough to overflow the stack of an ordinary thread.
const STACK: usize = 64 * 1024 * 1024;

/// Does `work` with a stack that no expression overflows. Only pages that it touches are ever backed by memory.
fn with_stack<T>(work: impl FnOnce() -> T) -> T {
    stacker::grow(STACK, work)
}

/// The names that expressions can use.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Scope {
    /// `space.vars.<name>`.
    pub space: Variables,
    /// `page.vars.<name>`.
    pub page: Variables,
}

/// Variables under the name that expressions use.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Variables {
    /// By name.
    pub vars: BTreeMap<String, Variable>,
}

/// The result of an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Evaluation {
    /// A condition that holds or not.
    Bool(bool),
    /// A value, as text.
    Text(String),
    /// The expression uses a name that does not exist. As a condition, this is false.
    Absent,
}

impl Evaluation {
    /// Whether a part with this condition is shown.
    pub fn holds(&self) -> bool {
        matches!(self, Self::Bool(true))
    }

    /// The result as text.
    pub fn into_text(self) -> String {
        match self {
            Self::Bool(value) => value.to_string(),
            Self::Text(text) => text,
            Self::Absent => String::new(),
        }
    }
}

/// Why a text is not a valid expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExpressionError {
    /// Longer than [`MAX_EXPRESSION`] characters.
    #[error("an expression has at most {MAX_EXPRESSION} characters")]
    TooLong,
    /// A syntax error.
    #[error("not an expression: {0}")]
    Syntax(String),
    /// Nested loops, whose cost has no bound.
    #[error("at most one of all, exists, exists_one, map and filter is allowed in an expression")]
    TooCostly,
}

/// A parsed expression.
#[derive(Debug)]
pub struct Expression(Program);

impl Expression {
    /// Parses an expression.
    ///
    /// # Errors
    /// [`ExpressionError`] says why it is none.
    pub fn parse(source: &str) -> Result<Self, ExpressionError> {
        if source.chars().count() > MAX_EXPRESSION {
            return Err(ExpressionError::TooLong);
        }
        with_stack(|| {
            let program = Program::compile(&strict_operators(source))
                .map_err(|error| ExpressionError::Syntax(first_error(&error)))?;
            if loops(program.expression()) > 1 {
                return Err(ExpressionError::TooCostly);
            }
            Ok(Self(program))
        })
    }

    /// Whether the result depends only on the content: the expression uses no data about the reader.
    pub fn is_deterministic(&self) -> bool {
        with_stack(|| self.0.references()).variables().iter().all(|name| matches!(*name, "space" | "page"))
    }

    /// Evaluates the expression. Each field of `scope`, such as those of [`Scope`], is a name. A name that the scope
    /// does not have, such as data about a reader, is absent.
    pub fn evaluate(&self, scope: &impl Serialize) -> Evaluation {
        let mut context = Context::default();
        let mut values = cel::to_value(scope).unwrap_or(Value::Null);
        make_signed(&mut values);
        if let Value::Map(names) = values {
            for (name, value) in names.map.iter() {
                if let Key::String(name) = name {
                    context.add_variable_from_value(name.as_str(), value.clone());
                }
            }
        }
        match with_stack(|| self.0.execute(&context)) {
            Ok(Value::Bool(value)) => Evaluation::Bool(value),
            Ok(Value::String(text)) => Evaluation::Text(text.to_string()),
            Ok(Value::Int(number)) => Evaluation::Text(number.to_string()),
            Ok(Value::UInt(number)) => Evaluation::Text(number.to_string()),
            Ok(Value::Float(number)) => Evaluation::Text(number.to_string()),
            Ok(_) | Err(_) => Evaluation::Absent,
        }
    }
}

/// Makes whole numbers signed, as those in the text of an expression are: CEL refuses to calculate with both kinds. The
/// value is new, so nothing else refers to its parts.
fn make_signed(value: &mut Value) {
    match value {
        Value::UInt(number) => {
            if let Ok(number) = i64::try_from(*number) {
                *value = Value::Int(number);
            }
        }
        Value::List(items) => {
            if let Some(items) = Arc::get_mut(items) {
                items.iter_mut().for_each(make_signed);
            }
        }
        Value::Map(fields) => {
            if let Some(fields) = Arc::get_mut(&mut fields.map) {
                fields.values_mut().for_each(make_signed);
            }
        }
        _ => {}
    }
}

/// The first error of the parser, with its line and column.
fn first_error(error: &impl ToString) -> String {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    // Cuts the list of expected tokens: it has names of the grammar, which writers do not know.
    let line = line.split_once(" expecting ").map_or(line, |(what, _)| what);
    let placed = line.strip_prefix("ERROR: <input>:").and_then(|rest| {
        let (row, rest) = rest.split_once(':')?;
        let (column, what) = rest.split_once(": ")?;
        Some(format!("line {row}, column {column}: {}", what.strip_prefix("Syntax error: ").unwrap_or(what)))
    });
    placed.unwrap_or_else(|| line.to_owned())
}

/// Writes `===` and `!==` as `==` and `!=`, outside of strings. A space takes the place of the third character, so that
/// the columns of errors are those of the source.
fn strict_operators(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut quote = None;
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        let equality = quote.is_none() && (rest.starts_with("===") || rest.starts_with("!=="));
        if equality {
            out.push_str(&rest[..2]);
            out.push(' ');
            rest = &rest[3..];
            continue;
        }
        out.push(c);
        rest = &rest[c.len_utf8()..];
        match quote {
            Some(_) if c == '\\' => {
                if let Some(escaped) = rest.chars().next() {
                    out.push(escaped);
                    rest = &rest[escaped.len_utf8()..];
                }
            }
            Some(open) if c == open => quote = None,
            None if c == '"' || c == '\'' => quote = Some(c),
            _ => {}
        }
    }
    out
}

/// The number of loops in an expression. The parser bounds its depth, and so this recursion.
fn loops(expression: &IdedExpr) -> usize {
    let entries = |entries: &[cel::common::ast::IdedEntryExpr]| -> usize {
        let entry = |entry: &cel::common::ast::IdedEntryExpr| match &entry.expr {
            EntryExpr::StructField(field) => loops(&field.value),
            EntryExpr::MapEntry(entry) => loops(&entry.key) + loops(&entry.value),
        };
        entries.iter().map(entry).sum()
    };
    match &expression.expr {
        Expr::Comprehension(inner) => {
            let parts = [&inner.iter_range, &inner.accu_init, &inner.loop_cond, &inner.loop_step, &inner.result];
            1 + parts.into_iter().map(loops).sum::<usize>()
        }
        Expr::Call(call) => call.target.as_deref().map_or(0, loops) + call.args.iter().map(loops).sum::<usize>(),
        Expr::List(list) => list.elements.iter().map(loops).sum(),
        Expr::Map(map) => entries(&map.entries),
        Expr::Struct(value) => entries(&value.entries),
        Expr::Select(select) => loops(&select.operand),
        Expr::Unspecified | Expr::Ident(_) | Expr::Literal(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    fn scope() -> Scope {
        let vars = [
            ("name".to_owned(), Variable::Text("Octavo".into())),
            ("major".to_owned(), Variable::Number(2.into())),
            ("beta".to_owned(), Variable::Bool(true)),
        ];
        Scope { space: Variables { vars: vars.into() }, page: Variables::default() }
    }

    #[rstest]
    #[case("space.vars.name", Evaluation::Text("Octavo".into()))]
    #[case("space.vars.major", Evaluation::Text("2".into()))]
    #[case("space.vars.beta", Evaluation::Bool(true))]
    #[case("space.vars.name === 'Octavo' && space.vars.beta", Evaluation::Bool(true))]
    #[case("space.vars.name !== \"Octavo\"", Evaluation::Bool(false))]
    #[case("'a === b'", Evaluation::Text("a === b".into()))]
    #[case("page.vars.none", Evaluation::Absent)]
    #[case("visitor.claims.plan == 'pro'", Evaluation::Absent)]
    #[case("space.vars.major + 1", Evaluation::Text("3".into()))]
    #[case("space.vars.major - 3 == -1", Evaluation::Bool(true))]
    fn expressions_are_evaluated_over_variables(#[case] source: &str, #[case] outcome: Evaluation) {
        assert_eq!(Expression::parse(source).unwrap().evaluate(&scope()), outcome);
    }

    #[rstest]
    #[case("visitor.claims.seats - 6 < 0")]
    #[case("visitor.claims.rooms[1] * 2 == 14")]
    #[case("visitor.claims.rooms.exists(room, room % 4 == 3)")]
    #[case("7 in visitor.claims.rooms && visitor.claims.seats in [5]")]
    #[case("visitor.claims.large > 9223372036854775807")]
    #[case("visitor.claims.half * 2.0 == 1.0")]
    fn whole_numbers_of_data_can_be_calculated_with(#[case] source: &str) {
        let claims = serde_json::json!({"seats": 5, "rooms": [1, 7], "large": u64::MAX, "half": 0.5});
        let scope = serde_json::json!({"visitor": {"claims": claims}});
        assert_eq!(Expression::parse(source).unwrap().evaluate(&scope), Evaluation::Bool(true));
    }

    #[rstest]
    #[case("space.vars.a + page.vars.b", true)]
    #[case("visitor.claims.plan == 'pro'", false)]
    fn an_expression_that_asks_who_reads_is_not_deterministic(#[case] source: &str, #[case] deterministic: bool) {
        assert_eq!(Expression::parse(source).unwrap().is_deterministic(), deterministic);
    }

    #[test]
    fn loops_in_loops_are_refused_before_they_run() {
        let bomb = "[1,2].map(a, [1,2].map(b, [1,2].map(c, a + b + c)))";
        assert_eq!(Expression::parse(bomb).err(), Some(ExpressionError::TooCostly));
        assert!(Expression::parse("[1,2].exists(a, a == 2)").is_ok());
    }

    #[rstest]
    #[case("space.vars.")]
    #[case("")]
    #[case("((((")]
    fn what_is_no_expression_is_refused(#[case] source: &str) {
        assert!(matches!(Expression::parse(source), Err(ExpressionError::Syntax(_))));
    }

    #[rstest]
    #[case("space.vars.a === 1 && )", "line 1, column 23: ")]
    #[case("space.vars.a ==\n= 1", "line 2, column 1: ")]
    #[case("package == 1", "line 1, column 1: reserved identifier: package")]
    fn an_error_names_the_line_and_the_column_of_the_source(#[case] source: &str, #[case] start: &str) {
        let Err(ExpressionError::Syntax(message)) = Expression::parse(source) else { panic!("{source} is accepted") };
        assert!(message.starts_with(start), "{message}");
    }

    #[test]
    fn an_expression_is_short() {
        assert_eq!(Expression::parse(&"1".repeat(MAX_EXPRESSION + 1)).err(), Some(ExpressionError::TooLong));
    }

    #[rstest]
    #[case("a".to_owned() + &".a".repeat(511))]
    #[case("a".to_owned() + &"+a".repeat(511))]
    #[case("a".to_owned() + &"&&a".repeat(340))]
    #[case("1?1:".repeat(255) + "a")]
    #[case("a".to_owned() + &"[0]".repeat(340))]
    #[case("a".to_owned() + &".f()".repeat(255))]
    #[case("!".repeat(1023) + "a")]
    #[case("-".repeat(1023) + "a")]
    #[case("(".repeat(1023) + "a")]
    #[case("(".repeat(90) + "a" + &")".repeat(90))]
    #[case("[".repeat(90) + &"]".repeat(90))]
    #[case("{1:".repeat(90) + "a" + &"}".repeat(90))]
    #[case("a?(".repeat(90) + "a" + &"):a".repeat(90))]
    #[case("{c=.c:(?-?]\\+.:{ c?:[é=]{:=[ +é.[b )a-]-{&={=[{.[::{".repeat(18))]
    fn the_deepest_expressions_overflow_no_stack(#[case] source: String) {
        if let Ok(expression) = Expression::parse(&source) {
            expression.evaluate(&scope());
            expression.is_deterministic();
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_the_parser_panic(source in r#"[\[\](){}"'a-c.!=?:&|+ \\é-]{0,200}"#) {
            if let Ok(expression) = Expression::parse(&source) {
                expression.evaluate(&scope());
            }
        }
    }
}
