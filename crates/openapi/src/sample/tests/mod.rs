mod code;
mod corpus;
mod documents;
mod echo;
mod laws;
mod multipart;
mod operations;
mod programs;
mod quotes;
mod sent;

use super::{PartContent, SampleBody, SamplePart, SampleRequest};
use crate::text::read;
use crate::tree::Node;

/// Texts that end a literal, a line or a script somewhere, or that a program could run.
const HOSTILE: [&str; 22] = [
    "",
    " a  b ",
    "'",
    "\"",
    "\\",
    "\\'\\\"\\\\",
    "$HOME ${HOME} $(id) `id`",
    "%s %d %% {0} ${x} #{x} {{x}}",
    "line\nline\r\nline\rline\ttab",
    "</script><script>alert(1)</SCRIPT>",
    "<!-- <script> -->",
    "@/etc/passwd",
    "<file",
    "a=b&c=d;e+f%20g",
    "\u{1}\u{8}\u{b}\u{c}\u{1b}[201~\u{7f}",
    "\u{85}\u{9b}\u{a0}\u{ad}",
    "\u{2028}\u{2029}\u{202e}\u{2066}\u{feff}\u{200b}",
    "\u{e9}\u{4e2d}\u{1f600}\u{e0041}",
    "!! !-1 !x \u{1b}!y",
    "'; rm -rf /; echo '",
    "\"\"\" ''' `",
    "--boundary-of-form--\r\n",
];

fn tree(text: &str) -> Node {
    read(text.as_bytes()).root.expect("the text of a test can be read")
}

/// A `POST` without headers.
fn post(url: &str, body: SampleBody) -> SampleRequest {
    SampleRequest { method: "POST".to_owned(), url: url.to_owned(), headers: Vec::new(), body: Some(body) }
}

fn json_body(text: &str) -> SampleBody {
    SampleBody::Json { media_type: "application/json".to_owned(), value: tree(text) }
}

fn field(name: &str, text: &str, media_type: Option<&str>) -> SamplePart {
    let content = PartContent::Text(text.to_owned());
    SamplePart { name: name.to_owned(), media_type: media_type.map(str::to_owned), content }
}

fn file(name: &str, file: &str, media_type: Option<&str>) -> SamplePart {
    let content = PartContent::File(file.to_owned());
    SamplePart { name: name.to_owned(), media_type: media_type.map(str::to_owned), content }
}
