//! Reads the body of a message: the paragraphs that its author wrote, as plain text.
//!
//! Quotations, code, signatures, and the headers of replies and forwarded messages are left out.
mod html;

use content::document::{Block, Kind, inline_text};
use content::markdown::{LinkUse, Links, parse_text};
use content::reference::ContentRef;

/// The length, in characters, from which a line without final punctuation continues in the next line.
const WRAPPED: usize = 60;

/// Resolves no link: every address stays as written.
pub(crate) struct NoLinks;

impl Links for NoLinks {
    fn resolve(&self, _: &str, _: LinkUse) -> Option<ContentRef> {
        None
    }
}

/// The paragraphs of a body, in Markdown or HTML. A line feed in a paragraph is a deliberate line break.
pub fn paragraphs(body: &str) -> Vec<String> {
    let html = html::is_html(body);
    let text = if html { html::text(body) } else { body.to_owned() };
    let own = own_lines(&text);
    let parsed = if html { None } else { parse_text(&own, &NoLinks).document.ok() };
    let mut found = Vec::new();
    match parsed {
        Some(document) => document.blocks.iter().for_each(|block| push(&mut found, block)),
        None => found.extend(own.split("\n\n").map(str::to_owned)),
    }
    found.iter().map(|paragraph| joined(paragraph)).filter(|paragraph| !paragraph.is_empty()).collect()
}

/// Adds the texts of a block and of those inside it. The depth of a document is bounded.
fn push(found: &mut Vec<String>, block: &Block) {
    match block.kind {
        Kind::Blockquote | Kind::Code(_) | Kind::Math(_) | Kind::Verbatim(_) | Kind::Embed(_) => return,
        _ => found.push(inline_text(&block.content)),
    }
    block.children.iter().for_each(|child| push(found, child));
}

/// Removes quotations, the signature, and headers of messages.
fn own_lines(text: &str) -> String {
    let mut own = String::with_capacity(text.len());
    let mut code = false;
    let mut headers = false;
    for line in text.lines() {
        let bare = line.trim();
        if bare.starts_with("```") || bare.starts_with("~~~") {
            code = !code;
        }
        if !code {
            if ends_message(line) {
                break;
            }
            if bare.starts_with('>') || introduces_quotation(bare) {
                own.push('\n');
                continue;
            }
            headers = (headers || bare.is_empty() || own.trim().is_empty() || introduces_forward(bare))
                && (is_header(bare) || introduces_forward(bare) || bare.is_empty());
            if headers && !bare.is_empty() {
                own.push('\n');
                continue;
            }
        }
        // A line of dashes or equal signs would turn the line before it into a heading.
        let rule = bare.len() > 1 && bare.chars().all(|char| matches!(char, '-' | '=' | '_' | '*'));
        own.push_str(if rule && !code { "" } else { line });
        // Keeps the line feed in the text of the paragraph.
        own.push_str(if code || bare.is_empty() { "\n" } else { "  \n" });
    }
    own
}

/// Whether a line ends the author's own text: it starts a signature or a quoted original message.
fn ends_message(line: &str) -> bool {
    const SENT: [&str; 12] = [
        "sent from my ",
        "get outlook for ",
        "sent via ",
        "von meinem ",
        "gesendet von ",
        "envoyé de mon ",
        "envoyé depuis ",
        "enviado desde mi ",
        "enviado do meu ",
        "inviato da ",
        "verzonden vanaf ",
        "verstuurd vanaf ",
    ];
    const ORIGINAL: [&str; 7] = [
        "original message",
        "ursprüngliche nachricht",
        "message d'origine",
        "mensaje original",
        "mensagem original",
        "messaggio originale",
        "oorspronkelijk bericht",
    ];
    let bare = line.trim();
    if line.trim_end() == "--" || bare == "—" || bare.len() > 4 && bare.bytes().all(|byte| byte == b'_') {
        return true;
    }
    if bare.chars().count() > 80 {
        return false;
    }
    let lower = bare.to_lowercase();
    SENT.iter().any(|start| lower.starts_with(start))
        || lower.starts_with('-') && ORIGINAL.iter().any(|words| lower.contains(words))
}

/// Whether a line introduces a quotation, such as `On Monday, Ada wrote:`.
fn introduces_quotation(line: &str) -> bool {
    const WROTE: [(&str, &str); 7] = [
        ("on ", "wrote"),
        ("am ", "schrieb"),
        ("le ", "écrit"),
        ("el ", "escribió"),
        ("em ", "escreveu"),
        ("il ", "scritto"),
        ("op ", "schreef"),
    ];
    let Some(line) = line.strip_suffix(':').filter(|line| line.chars().count() <= 200) else { return false };
    let lower = line.to_lowercase();
    WROTE.iter().any(|(start, wrote)| lower.starts_with(start) && lower.contains(wrote))
}

/// Whether a line introduces a forwarded message.
fn introduces_forward(line: &str) -> bool {
    line.starts_with("---") && line.trim_matches(['-', ' ']).contains(' ')
        || line.starts_with("Begin forwarded message")
}

/// Whether a line is a header of a message, such as `Subject: Hello`.
fn is_header(line: &str) -> bool {
    const NAMES: [&str; 25] = [
        "from",
        "to",
        "cc",
        "bcc",
        "date",
        "sent",
        "subject",
        "reply-to",
        "von",
        "an",
        "gesendet",
        "datum",
        "betreff",
        "de",
        "à",
        "envoyé",
        "objet",
        "para",
        "enviado",
        "asunto",
        "assunto",
        "da",
        "oggetto",
        "onderwerp",
        "aan",
    ];
    let Some((name, _)) = line.split_once(':').filter(|(name, _)| name.len() <= 20) else { return false };
    let name = name.trim_matches(['*', ' ']).to_lowercase();
    NAMES.contains(&name.as_str())
}

/// Joins lines that were only wrapped at the width of a window.
fn joined(paragraph: &str) -> String {
    let mut text = String::with_capacity(paragraph.len());
    let mut width = 0;
    for line in paragraph.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let ended = text.ends_with(['.', '!', '?', ':', ';', '…', '。', '！', '？']);
        let goes_on = line.starts_with(char::is_lowercase) || width >= WRAPPED && !ended;
        if !text.is_empty() {
            text.push(if goes_on || ended { ' ' } else { '\n' });
        }
        text.push_str(line);
        width = line.chars().count();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("It **fails** with `E12`.\n\nSee [the log](https://a.example).", &["It fails with E12.", "See the log."])]
    #[case("Hello\n\n> You wrote this\n> and that\n\nNo, I did not.", &["Hello", "No, I did not."])]
    #[case("It fails:\n\n```\npanic at line 3\n```\n\nWhy?", &["It fails:", "Why?"])]
    #[case("It fails.\n-- \nAda Lovelace\nACME", &["It fails."])]
    #[case("It fails.\n\nSent from my phone", &["It fails."])]
    #[case("Es geht nicht.\n\nVon meinem iPhone gesendet", &["Es geht nicht."])]
    #[case("I agree.\n\nOn Mon, 2 Mar 2026 at 10:00, Support wrote:\n> Did you try?", &["I agree."])]
    #[case("Any news?\n\n-----Original Message-----\nFrom: Support\nWe are on it", &["Any news?"])]
    #[case("---------- Forwarded message ---------\nFrom: Ada\nSubject: Help\n\nThe export fails.", &["The export fails."])]
    #[case("The export has been failing since we moved to the new\nplan of yours.", &["The export has been failing since we moved to the new plan of yours."])]
    #[case("Hi there\nThe export fails\nThanks", &["Hi there\nThe export fails\nThanks"])]
    #[case("- one\n- two", &["one", "two"])]
    #[case("<p>It <b>fails</b> &amp; hangs.</p><blockquote>You wrote</blockquote><p>Why?</p>", &["It fails & hangs.", "Why?"])]
    #[case("<div>Hi<br>No export</div><style>p{}</style><pre>code</pre><div class=\"gmail_quote\">On Monday</div>", &["Hi\nNo export"])]
    #[case("it fails if a < b", &["it fails if a < b"])]
    #[case("", &[])]
    fn a_body_is_what_its_author_wrote(#[case] body: &str, #[case] expected: &[&str]) {
        let expected: Vec<&str> = expected.iter().map(|text| text.trim()).collect();
        assert_eq!(paragraphs(body), expected);
    }
}
