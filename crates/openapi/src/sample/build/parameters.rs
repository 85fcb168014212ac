//! The parameters of a request.
use super::style::{Style, Writing, encoded, encoded_but_reserved, encoded_name, plain};
use super::{Build, security};
use crate::body::media_type::is_token;
use crate::body::{Form, MediaType, scalar};
use crate::direction::Direction;
use crate::example::ExampleOrigin;
use crate::schema::LocatedNode;
use crate::tree::{Node, Value};
use crate::view::find;

/// The parameters and credentials of a request, ready to be sent.
#[derive(Debug, Default)]
pub(super) struct Parameters {
    /// The names of path parameters, and the texts that replace them.
    pub(super) path: Vec<(String, String)>,
    /// Pieces of the query, encoded.
    pub(super) query: Vec<String>,
    headers: Vec<(String, String)>,
    cookies: Vec<String>,
    /// The places and names of the parameters that are credentials.
    keys: Vec<(&'static str, String)>,
}

/// Headers that are not parameters (OpenAPI 3.1, "Parameter Object").
const IGNORED: [&str; 2] = ["accept", "content-type"];

impl Parameters {
    /// The credentials and the required parameters of an operation, with their examples.
    pub(super) fn of(build: &Build<'_, '_>) -> Self {
        let mut parameters = Self::default();
        // Credentials override a parameter with the same name.
        security::add(build, &mut parameters);
        for located in find::parameters(build.schemas(), build.found) {
            let place = located.node.text_of("in").unwrap_or_default();
            if place == "path" || located.node.is_true("required") {
                parameters.add(build, &located, place);
            }
        }
        parameters
    }

    fn add<'a>(&mut self, build: &Build<'a, '_>, located: &LocatedNode<'a>, place: &str) {
        let node = located.node;
        let name = node.text_of("name").unwrap_or_default();
        if self.keys.iter().any(|(key_place, key)| *key_place == place && key == name) {
            return;
        }
        let example = build.examples.of_parameter(located, Direction::Request).into_iter().next();
        let value = match example {
            // A parameter with a media type is encoded by that, and is then one text.
            Some(example) if node.get("schema").is_none() && node.get("content").is_some() => {
                if place == "querystring" {
                    self.query.push(query_string(located, example.value.as_ref(), example.text.as_deref()));
                    return;
                }
                example.value.map(|value| Node::text(&scalar(&value)))
            }
            // For readers, the name is more useful than a generated word.
            Some(example)
                if example.origin == ExampleOrigin::Made
                    && matches!(example.text.as_deref(), Some("text" | "null") | None) =>
            {
                None
            }
            Some(example) => example.value,
            None => None,
        };
        let value = value.unwrap_or_else(|| Node::text(name));
        match place {
            "path" => self.path.push((name.to_owned(), Writing::of(node, Style::Simple, encoded).text(name, &value))),
            "query" => {
                let encode = if node.is_true("allowReserved") { encoded_but_reserved } else { encoded };
                for (name, value) in Writing::of(node, Style::Form, encode).pairs(name, &value) {
                    self.query.push(format!("{}={value}", encoded_name(&name)));
                }
            }
            "header" => self.add_header(name, &Writing::of(node, Style::Simple, plain).text(name, &value)),
            "cookie" => {
                for (name, value) in Writing::of(node, Style::Form, encoded).pairs(name, &value) {
                    self.add_cookie(&name, &value);
                }
            }
            _ => {}
        }
    }

    /// Adds a header, unless it exists already, cannot be sent, or is ignored for parameters.
    pub(super) fn add_header(&mut self, name: &str, value: &str) {
        let is_there = self.headers.iter().any(|(other, _)| other.eq_ignore_ascii_case(name));
        if is_token(name) && !is_there && !IGNORED.iter().any(|ignored| ignored.eq_ignore_ascii_case(name)) {
            self.headers.push((name.to_owned(), header_value(value)));
        }
    }

    /// Adds a credential that is a parameter of the query.
    pub(super) fn add_query_key(&mut self, name: &str, key: &str) {
        self.query.push(format!("{}={}", encoded_name(name), encoded(key)));
        self.keys.push(("query", name.to_owned()));
    }

    /// Adds a credential that is a cookie.
    pub(super) fn add_cookie_key(&mut self, name: &str, key: &str) {
        self.add_cookie(name, &encoded(&header_value(key)));
        self.keys.push(("cookie", name.to_owned()));
    }

    /// Adds a header before all others. Replaces one with the same name.
    pub(super) fn add_header_first(&mut self, name: &str, value: Option<String>) {
        let Some(value) = value else { return };
        self.headers.retain(|(other, _)| !other.eq_ignore_ascii_case(name));
        self.headers.insert(0, (name.to_owned(), header_value(&value)));
    }

    /// Adds a cookie with an encoded value.
    fn add_cookie(&mut self, name: &str, value: &str) {
        let name = if is_token(name) { name.to_owned() } else { encoded(name) };
        self.cookies.push(format!("{name}={value}"));
    }

    /// The headers, with all cookies in one of them.
    pub(super) fn headers(mut self) -> Vec<(String, String)> {
        if !self.cookies.is_empty() {
            let cookies = std::mem::take(&mut self.cookies);
            self.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("cookie"));
            self.headers.push(("Cookie".to_owned(), cookies.join("; ")));
        }
        self.headers
    }
}

/// The whole query of a parameter in `querystring` (3.2).
fn query_string(located: &LocatedNode<'_>, value: Option<&Node>, text: Option<&str>) -> String {
    let form =
        located.members("content").next().and_then(|(key, _)| MediaType::of(key)).map(|media_type| media_type.form);
    match (form, value.map(|value| &value.value)) {
        (Some(Form::Urlencoded), Some(Value::Map(members))) => {
            let pairs = members.iter().map(|(name, member)| (encoded_name(name), encoded(&scalar(&member.node))));
            pairs.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("&")
        }
        (Some(Form::Urlencoded), Some(Value::Text(text))) => encoded_but_reserved(text).replace("%26", "&"),
        (_, Some(_)) => encoded(&value.map(scalar).unwrap_or_default()),
        (_, None) => encoded(text.unwrap_or_default()),
    }
}

/// A value in the form of a header: without white space at its ends, and with all characters other than printable ASCII
/// percent-encoded.
fn header_value(text: &str) -> String {
    let mut out = String::new();
    let mut buffer = [0; 4];
    for char in text.trim_matches([' ', '\t']).chars() {
        match char {
            ' '..='~' => out.push(char),
            char => out.push_str(&encoded(char.encode_utf8(&mut buffer))),
        }
    }
    out
}
