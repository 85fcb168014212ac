//! The attribute of the black-box tests, used as `#[acceptance::test]`.
use proc_macro::{Delimiter, Group, TokenStream, TokenTree};

/// Runs an asynchronous test on both databases: `my_test::on_sqlite` and `my_test::on_postgres`.
///
/// A parameter of the type `World` gets a booted world, one of the type `Backend` the database. All other parameters
/// have an attribute of `rstest` (`#[case]`, `#[values(…)]`). The test runs on one thread, unless a second attribute
/// says how: `#[tokio::test(flavor = "multi_thread")]`. Without PostgreSQL, its case prints a message and passes.
#[proc_macro_attribute]
pub fn test(_: TokenStream, function: TokenStream) -> TokenStream {
    let case = match Case::read(function) {
        Ok(case) => case,
        Err(why) => return parsed(&format!("::core::compile_error!({why:?});")),
    };
    let (sqlite, postgres) = (case.on("sqlite", "Sqlite"), case.on("postgres", "Postgres"));
    let module = [parsed("use super::*;"), sqlite, postgres].into_iter().collect();
    let mut all = case.function();
    all.extend(parsed(&format!("mod {}", case.name)));
    all.extend([braces(module)]);
    all
}

/// A function with this attribute.
struct Case {
    /// Attributes of the function itself.
    attributes: TokenStream,
    /// Attributes of `rstest`, copied to the test of each database.
    cases: TokenStream,
    /// The attribute that runs the test.
    runs: TokenStream,
    /// From the visibility to the name.
    head: TokenStream,
    name: String,
    parameters: Vec<Parameter>,
    /// The body, and a result type if there is one.
    rest: TokenStream,
}

struct Parameter {
    attributes: TokenStream,
    /// Pattern and type.
    declared: TokenStream,
    name: String,
    source: Source,
}

/// What passes the value of a parameter.
#[derive(PartialEq)]
enum Source {
    World,
    Backend,
    Rstest,
}

impl Case {
    fn read(function: TokenStream) -> Result<Self, &'static str> {
        let mut tokens = function.into_iter().peekable();
        let (mut attributes, mut cases, mut runs) = (TokenStream::new(), TokenStream::new(), TokenStream::new());
        while let Some(sign) = tokens.next_if(is_sign) {
            let group = tokens.next().ok_or("an attribute has brackets")?;
            let path = path(&group);
            let kind = match path.as_slice() {
                [first, ..] if first == "case" => &mut cases,
                [.., last] if last == "test" => &mut runs,
                _ => &mut attributes,
            };
            kind.extend([sign, group]);
        }
        if runs.is_empty() {
            runs = parsed("#[::actix_web::test]");
        }
        let (mut head, mut name) = (TokenStream::new(), String::new());
        let parameters = loop {
            match tokens.next().ok_or("this must be a function")? {
                TokenTree::Group(group) if name != "pub" && group.delimiter() == Delimiter::Parenthesis => {
                    break group;
                }
                token => {
                    name = token.to_string();
                    head.extend([token]);
                }
            }
        };
        let is_async = head.clone().into_iter().any(|token| token.to_string() == "async");
        let parameters = split(parameters.stream()).into_iter().map(Parameter::read).collect::<Result<Vec<_>, _>>()?;
        match is_async {
            true => Ok(Self { attributes, cases, runs, head, name, parameters, rest: tokens.collect() }),
            false => Err("this must be an asynchronous function"),
        }
    }

    /// The function, without the attributes that only concern its runs.
    fn function(&self) -> TokenStream {
        let mut function = self.attributes.clone();
        function.extend(self.head.clone());
        function.extend([parentheses(listed(self.parameters.iter().map(|one| one.declared.clone())))]);
        function.extend(self.rest.clone());
        function
    }

    /// The test on one database, which calls the function.
    fn on(&self, name: &str, backend: &str) -> TokenStream {
        let given = |source| self.parameters.iter().filter(move |one| one.source == source);
        let backend = format!("::acceptance::Backend::{backend}");
        let mut body = TokenStream::new();
        for Parameter { name, .. } in given(Source::World) {
            let boot = format!("let Some({name}) = ::acceptance::World::boot({backend}).await else {{ return }};");
            body.extend(parsed(&boot));
        }
        let values = self.parameters.iter().map(|one| if one.source == Source::Backend { &backend } else { &one.name });
        body.extend(parsed(&self.name));
        body.extend([parentheses(listed(values.map(|value| parsed(value))))]);
        body.extend(parsed(".await"));
        let mut test = TokenStream::new();
        if given(Source::Rstest).next().is_some() {
            test.extend(parsed("#[::rstest::rstest]"));
        }
        test.extend(self.cases.clone());
        test.extend(self.runs.clone());
        test.extend(parsed(&format!("async fn on_{name}")));
        let parameters = given(Source::Rstest).map(|one| {
            let mut parameter = one.attributes.clone();
            parameter.extend(one.declared.clone());
            parameter
        });
        test.extend([parentheses(listed(parameters)), braces(body)]);
        test
    }
}

impl Parameter {
    fn read(parameter: Vec<TokenTree>) -> Result<Self, &'static str> {
        let mut tokens = parameter.into_iter().peekable();
        let mut attributes = TokenStream::new();
        while let Some(sign) = tokens.next_if(is_sign) {
            attributes.extend([sign]);
            attributes.extend(tokens.next());
        }
        let declared: Vec<TokenTree> = tokens.collect();
        let mut words = declared.iter().map(ToString::to_string);
        let name = words.clone().find(|word| word != "mut").ok_or("a parameter has a name")?;
        let source = match (attributes.is_empty(), words.next_back().as_deref()) {
            (false, _) => Source::Rstest,
            (true, Some("World")) => Source::World,
            (true, Some("Backend")) => Source::Backend,
            _ => return Err("a parameter is a `World`, a `Backend`, or has an attribute of rstest"),
        };
        Ok(Self { attributes, declared: declared.into_iter().collect(), name, source })
    }
}

fn is_sign(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(sign) if sign.as_char() == '#')
}

/// The words of an attribute's path.
fn path(attribute: &TokenTree) -> Vec<String> {
    let TokenTree::Group(group) = attribute else { return Vec::new() };
    let in_path = |token: &TokenTree| match token {
        TokenTree::Ident(_) => true,
        TokenTree::Punct(sign) => sign.as_char() == ':',
        _ => false,
    };
    let words = group.stream().into_iter().take_while(in_path);
    words.filter(|token| matches!(token, TokenTree::Ident(_))).map(|word| word.to_string()).collect()
}

/// The parameters of a list. A comma between angle brackets separates none.
fn split(list: TokenStream) -> Vec<Vec<TokenTree>> {
    let (mut parameters, mut depth) = (vec![Vec::new()], 0);
    for token in list {
        let sign = if let TokenTree::Punct(sign) = &token { sign.as_char() } else { ' ' };
        match sign {
            '<' => depth += 1,
            '>' => depth -= 1,
            _ => {}
        }
        match parameters.last_mut() {
            Some(last) if sign != ',' || depth > 0 => last.push(token),
            _ => parameters.push(Vec::new()),
        }
    }
    parameters.retain(|parameter| !parameter.is_empty());
    parameters
}

fn listed(parts: impl Iterator<Item = TokenStream>) -> TokenStream {
    parts.flat_map(|part| [part, parsed(",")]).collect()
}

fn parentheses(inside: TokenStream) -> TokenTree {
    Group::new(Delimiter::Parenthesis, inside).into()
}

fn braces(inside: TokenStream) -> TokenTree {
    Group::new(Delimiter::Brace, inside).into()
}

fn parsed(code: &str) -> TokenStream {
    code.parse().expect("this is Rust")
}
