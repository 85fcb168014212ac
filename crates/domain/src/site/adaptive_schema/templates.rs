//! Conditions that a schema suggests.
use super::{AdaptiveSchema, ClaimValues, PlainClaim, SchemaClaims, UNSIGNED};

/// Names that cannot follow a dot in an expression.
const RESERVED: [&str; 21] = [
    "as",
    "break",
    "const",
    "continue",
    "else",
    "false",
    "for",
    "function",
    "if",
    "import",
    "in",
    "let",
    "loop",
    "namespace",
    "null",
    "package",
    "return",
    "true",
    "var",
    "void",
    "while",
];

/// A condition that a schema suggests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateCondition {
    /// The visitors for whom it is true.
    pub description: String,
    /// The expression.
    pub condition: String,
}

impl AdaptiveSchema {
    /// The conditions that the schema suggests: for a claim with few values, one condition for each value; for every
    /// other claim, one condition that holds for visitors with the claim.
    pub fn template_conditions(&self) -> Vec<TemplateCondition> {
        let mut found = Vec::new();
        let root = Path { expression: "visitor.claims".to_owned(), name: String::new(), kind: "claim" };
        root.suggest(&self.signed, &mut found);
        if let Some(unsigned) = &self.unsigned {
            let root =
                Path { kind: "unsigned claim", expression: root.member(UNSIGNED).expression, name: String::new() };
            root.suggest(unsigned, &mut found);
        }
        found
    }
}

/// An object of claims.
struct Path {
    /// As expressions name it.
    expression: String,
    /// As descriptions name it.
    name: String,
    kind: &'static str,
}

impl Path {
    fn member(&self, name: &str) -> Self {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let plain = name.chars().all(word) && !name.starts_with(|c: char| c.is_ascii_digit());
        let expression = if plain && !RESERVED.contains(&name) {
            format!("{}.{name}", self.expression)
        } else {
            format!("{}[{}]", self.expression, literal(name))
        };
        let name = if self.name.is_empty() { name.to_owned() } else { format!("{}.{name}", self.name) };
        Self { expression, name, kind: self.kind }
    }

    fn suggest(&self, claims: &SchemaClaims, found: &mut Vec<TemplateCondition>) {
        for (name, claim) in claims {
            let member = self.member(name);
            let path = &member.expression;
            match &claim.values {
                ClaimValues::Object(claims) => member.suggest(claims, found),
                ClaimValues::One(PlainClaim::Boolean) => found.extend(
                    ["true", "false"]
                        .map(|value| member.condition(format!("is {value}"), format!("{path} === {value}"))),
                ),
                ClaimValues::One(PlainClaim::Word(words)) => {
                    found.extend(words.iter().map(|word| {
                        member.condition(format!("is \"{word}\""), format!("{path} === {}", literal(word)))
                    }))
                }
                ClaimValues::List { items: PlainClaim::Word(words), .. } => found.extend(words.iter().map(|word| {
                    member.condition(format!("includes \"{word}\""), format!("{} in {path}", literal(word)))
                })),
                ClaimValues::One(PlainClaim::Text | PlainClaim::Number) | ClaimValues::List { .. } => {
                    found.push(
                        member.condition("has a value".to_owned(), format!("{} in {}", literal(name), self.expression)),
                    );
                }
            }
        }
    }

    fn condition(&self, holds: String, condition: String) -> TemplateCondition {
        let Self { name, kind, .. } = self;
        TemplateCondition { description: format!("Visitors whose {kind} {name} {holds}."), condition }
    }
}

/// A text in the form of expressions.
fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}
