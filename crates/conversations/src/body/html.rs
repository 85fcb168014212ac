//! Converts HTML to plain text.

/// Whether a body is HTML rather than Markdown that contains tags: it starts with a tag, or has HTML paragraphs.
pub(super) fn is_html(body: &str) -> bool {
    const BEGINS: [&str; 10] =
        ["<!doctype", "<html", "<head", "<body", "<div", "<p>", "<p ", "<span", "<table", "<meta"];
    let start = body.trim_start();
    let starts = |tag: &str| start.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag));
    BEGINS.iter().any(|tag| starts(tag)) || body.contains("</p>") || body.contains("</div>")
}

/// Elements whose content is not text of the author.
const SKIPPED: [&str; 8] = ["script", "style", "head", "title", "pre", "code", "blockquote", "svg"];
/// Block elements: empty lines separate them from other text.
const BLOCKS: [&str; 20] = [
    "p",
    "div",
    "ul",
    "ol",
    "table",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "section",
    "article",
    "header",
    "footer",
    "hr",
    "blockquote",
    "pre",
    "form",
    "body",
];
/// Elements that begin a line.
const LINES: [&str; 5] = ["br", "li", "tr", "dt", "dd"];
/// Classes that mail programs give to quotations. The body is skipped from the first one on.
const QUOTES: [&str; 4] = ["gmail_quote", "moz-cite-prefix", "yahoo_quoted", "divrplyfwdmsg"];

/// The text of HTML, with empty lines between its blocks. Takes linear time.
pub(super) fn text(body: &str) -> String {
    let mut text = String::with_capacity(body.len());
    let mut skipped: Option<(&str, usize)> = None;
    let mut rest = body;
    while let Some(at) = rest.find('<') {
        if skipped.is_none() {
            push_text(&mut text, &rest[..at]);
        }
        rest = &rest[at..];
        if rest.starts_with("<!--") {
            rest = rest.find("-->").map_or("", |end| &rest[end + 3..]);
            continue;
        }
        let Some(end) = rest.find('>') else { break };
        let tag = &rest[1..end];
        let closes = tag.starts_with('/');
        let name = tag.trim_start_matches('/').split([' ', '/', '\n', '\t', '\r']).next().unwrap_or_default();
        if !name.starts_with(|char: char| char.is_ascii_alphabetic() || char == '!') {
            if skipped.is_none() {
                text.push('<');
            }
            rest = &rest[1..];
            continue;
        }
        rest = &rest[end + 1..];
        let is = |known: &&&str| name.eq_ignore_ascii_case(known);
        if let Some((outer, depth)) = skipped {
            if name.eq_ignore_ascii_case(outer) && !tag.ends_with('/') {
                let depth = if closes { depth - 1 } else { depth + 1 };
                skipped = (depth > 0).then_some((outer, depth));
            }
            continue;
        }
        if let Some(outer) = SKIPPED.iter().find(is).filter(|_| !closes && !tag.ends_with('/')) {
            skipped = Some((outer, 1));
        }
        if !closes && tag.len() < 1_000 && QUOTES.iter().any(|class| tag.to_ascii_lowercase().contains(class)) {
            rest = "";
        }
        if BLOCKS.iter().any(|known| is(&known)) {
            text.push_str("\n\n");
        } else if LINES.iter().any(|known| is(&known)) {
            text.push('\n');
        }
    }
    if skipped.is_none() && !rest.starts_with('<') {
        push_text(&mut text, rest);
    }
    text
}

/// Adds text: replaces character references, and collapses white space to one blank.
fn push_text(text: &mut String, source: &str) {
    let mut rest = source;
    while let Some(char) = rest.chars().next() {
        if char == '&' {
            let end = rest.bytes().take(12).position(|byte| byte == b';');
            if let Some((end, char)) = end.and_then(|end| Some((end, referred(&rest[1..end])?))) {
                text.push(char);
                rest = &rest[end + 1..];
                continue;
            }
        }
        if !char.is_whitespace() {
            text.push(char);
        } else if !text.ends_with([' ', '\n']) {
            text.push(' ');
        }
        rest = &rest[char.len_utf8()..];
    }
}

fn referred(name: &str) -> Option<char> {
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        "rsquo" => '’',
        "lsquo" => '‘',
        "rdquo" => '”',
        "ldquo" => '“',
        "ndash" => '–',
        "mdash" => '—',
        "hellip" => '…',
        "auml" => 'ä',
        "ouml" => 'ö',
        "uuml" => 'ü',
        "Auml" => 'Ä',
        "Ouml" => 'Ö',
        "Uuml" => 'Ü',
        "szlig" => 'ß',
        "eacute" => 'é',
        "egrave" => 'è',
        "agrave" => 'à',
        "ccedil" => 'ç',
        "aacute" => 'á',
        "iacute" => 'í',
        "oacute" => 'ó',
        "uacute" => 'ú',
        "ntilde" => 'ñ',
        "atilde" => 'ã',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?)?
        }
    })
}
