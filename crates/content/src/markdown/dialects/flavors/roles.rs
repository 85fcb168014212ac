//! Roles of MyST in a text, such as `` {ref}`label` ``, and links to labels.
use super::inline::Made;
use super::{Flavor, escaped, pointed};
use crate::markdown::dialects::references;

/// Roles of code, which is all of their text.
const CODE: [&str; 10] = ["cmd", "code", "command", "file", "literal", "makevar", "program", "regexp", "samp", "shell"];

/// Roles of the names of things in code.
const NAMES: [&str; 16] = [
    "attr", "class", "const", "data", "envvar", "exc", "func", "keyword", "meth", "mod", "obj", "option", "property",
    "py", "token", "type",
];

/// Domains of Sphinx, whose roles are names in code.
const DOMAINS: [&str; 8] = ["c:", "cpp:", "js:", "py:", "rst:", "std:option", "std:envvar", "std:token"];

/// A role, with its text in backticks; `None` if it is not known.
pub(super) fn role(rest: &str, flavor: &Flavor<'_>) -> Option<Made> {
    let of_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_:.+".contains(byte);
    let end = 1 + rest.as_bytes()[1..].iter().take(60).take_while(|byte| of_name(byte)).count();
    let name = rest[1..end].to_ascii_lowercase();
    let code = rest[end..].strip_prefix('}').filter(|code| code.starts_with('`'))?;
    let ticks = code.len() - code.trim_start_matches('`').len();
    let length = references::code(code);
    let inside = code[..length].get(ticks..length.checked_sub(ticks)?)?.trim();
    if inside.is_empty() {
        return None;
    }
    let text = written(&name, &inside.replace('\n', " "), flavor)?;
    Some(Made { length: end + 1 + length, text })
}

/// The Markdown for a role.
fn written(name: &str, inside: &str, flavor: &Flavor<'_>) -> Option<String> {
    let (title, target) = titled(inside);
    let name = name.strip_prefix("std:").unwrap_or(name);
    if name.starts_with("bdg") {
        return Some(escaped(title.unwrap_or(target)));
    }
    Some(match name {
        "ref" | "numref" | "any" | "hoverxref" => reference(title, target, flavor),
        "doc" => document(title, target.trim_start_matches('!'))?,
        "download" => format!("[{}]({})", escaped(title.unwrap_or(target)), pointed(target)?),
        "term" | "dfn" | "abbr" | "index" | "eq" => escaped(title.unwrap_or(target)),
        "math" if !inside.contains(['$', '`']) => format!("$${inside}$$"),
        "kbd" => format!("<kbd>{}</kbd>", escaped(inside)),
        "sub" | "subscript" => format!("<sub>{}</sub>", escaped(inside)),
        "sup" | "superscript" => format!("<sup>{}</sup>", escaped(inside)),
        "guilabel" | "menuselection" | "strong" => format!("**{}**", escaped(&inside.replace("-->", "→"))),
        "emphasis" => format!("_{}_", escaped(inside)),
        "pep" => format!("PEP {}", escaped(title.unwrap_or(target))),
        "rfc" => format!("RFC {}", escaped(title.unwrap_or(target))),
        name if CODE.contains(&name) => code(inside)?,
        name if NAMES.contains(&name) || DOMAINS.iter().any(|domain| name.starts_with(domain)) => {
            code(short(title.unwrap_or(target)))?
        }
        _ => return None,
    })
}

/// The title and the target of `title <target>`.
fn titled(inside: &str) -> (Option<&str>, &str) {
    match inside.strip_suffix('>').and_then(|inside| inside.rsplit_once('<')) {
        Some((title, target)) if !title.trim().is_empty() && !target.trim().is_empty() => {
            (Some(title.trim()), target.trim())
        }
        _ => (None, inside),
    }
}

/// A link to a label, or its text if the label is not known.
fn reference(title: Option<&str>, target: &str, flavor: &Flavor<'_>) -> String {
    let label = (flavor.label)(target);
    let own = label.as_ref().map(|label| label.title.as_str()).filter(|title| !title.is_empty());
    let words = escaped(title.or(own).unwrap_or(target));
    match label.and_then(|label| pointed(&label.href)) {
        Some(href) => format!("[{words}]({href})"),
        None => words,
    }
}

/// A link to a page, which shows the title of the page if the link has none.
fn document(title: Option<&str>, path: &str) -> Option<String> {
    let href = pointed(path)?;
    Some(match title {
        Some(title) => format!("[{}]({href})", escaped(title)),
        None => format!("[{}]({href} \"mention\")", escaped(path)),
    })
}

/// The name of a thing in code: `~a.b.c` is `c`.
fn short(name: &str) -> &str {
    match name.strip_prefix('~') {
        Some(name) => name.rsplit('.').next().unwrap_or(name),
        None => name.strip_prefix('!').unwrap_or(name),
    }
}

fn code(text: &str) -> Option<String> {
    (!text.trim().is_empty() && !text.contains('`')).then(|| format!("`{}`", text.trim()))
}

/// The address of a link to a label, in the text after that of the link: `](label)`, `](#label)`. A link without text
/// to a file shows the title of its page.
pub(super) fn link(rest: &str, before: &str, flavor: &Flavor<'_>) -> Option<Made> {
    let inside = &rest[2..];
    let pointed_end = inside
        .strip_prefix('<')
        .and_then(|inside| Some(inside.find(['>', '\n', '<']).filter(|end| inside[*end..].starts_with('>'))? + 1));
    let end = pointed_end.unwrap_or_else(|| inside.find([')', ' ', '\n', '<', '[']).unwrap_or(inside.len()));
    let href = inside[..end].trim_start_matches('<');
    let length = 2 + end + usize::from(pointed_end.is_some());
    let after = rest.get(length..)?.strip_prefix(')')?;
    let name = href.strip_prefix("project:").unwrap_or(href);
    let name = name.strip_prefix('#').unwrap_or(name);
    let label = (flavor.label)(name).filter(|_| !name.is_empty());
    let is_empty = before.ends_with('[') && !before.ends_with("![") && !before.ends_with("\\[");
    let length = rest.len() - after.len();
    if let Some(label) = label {
        let target = pointed(&label.href)?;
        let words = if is_empty {
            escaped(Some(label.title).filter(|title| !title.is_empty()).as_deref().unwrap_or(name))
        } else {
            String::new()
        };
        return Some(Made { length, text: format!("{words}]({target})") });
    }
    let is_page = is_empty && !href.is_empty() && !href.starts_with('#') && !href.contains("://");
    let target = pointed(href).filter(|_| is_page)?;
    Some(Made { length, text: format!("{}]({target} \"mention\")", escaped(href)) })
}
