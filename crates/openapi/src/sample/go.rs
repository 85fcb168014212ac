//! Samples for Go with `net/http`.
use super::multipart::name as part_name;
use super::quote::{go as quote, go_lines};
use super::request::{PartContent, SampleBody, SamplePart, SampleRequest};
use crate::body::json;
use std::collections::BTreeSet;

/// The parts of a program besides the call itself.
struct Program {
    imports: BTreeSet<&'static str>,
    /// The statements before the request.
    before: Vec<String>,
    /// The expression of the body.
    body: String,
    /// The expression of `Content-Type`.
    media_type: Option<String>,
}

/// A whole program.
pub(super) fn render(request: &SampleRequest) -> String {
    let imports = BTreeSet::from(["fmt", "io", "net/http"]);
    let mut program = Program { imports, before: Vec::new(), body: "nil".to_owned(), media_type: None };
    program.media_type = request.stated_type().map(quote);
    if let Some(body) = &request.body {
        program.add_body(body);
    }
    let mut headers = Vec::new();
    if let Some(media_type) = &program.media_type {
        headers.push(set("Content-Type", media_type));
    }
    headers.extend(request.headers.iter().map(|(name, value)| set(name, &quote(value))));
    let imports = program.imports.iter().map(|import| format!("\t{}\n", quote(import))).collect::<String>();
    let method = quote(&request.method);
    let url = quote(&request.url);
    let Program { before, body, .. } = program;
    format!(
        "package main\n\nimport (\n{imports})\n\nfunc main() {{\n{before}\
         \treq, err := http.NewRequest({method}, {url}, {body})\n{FAIL}{headers}\
         \n\tres, err := http.DefaultClient.Do(req)\n{FAIL}\tdefer res.Body.Close()\n\
         \tcontent, err := io.ReadAll(res.Body)\n{FAIL}\tfmt.Println(res.Status, string(content))\n}}\n",
        before = before.concat(),
        headers = headers.concat(),
    )
}

const FAIL: &str = "\tif err != nil {\n\t\tpanic(err)\n\t}\n";

fn set(name: &str, value: &str) -> String {
    if name.eq_ignore_ascii_case("host") {
        return format!("\treq.Host = {value}\n");
    }
    format!("\treq.Header.Set({}, {value})\n", quote(name))
}

impl Program {
    fn add_body(&mut self, body: &SampleBody) {
        match body {
            SampleBody::Json { value, .. } => self.add_text(&json(value)),
            SampleBody::Text { text, .. } => self.add_text(text),
            SampleBody::File { name, .. } => {
                // A reader of bytes has a length; a file would be sent in chunks, which many servers refuse.
                self.imports.extend(["bytes", "os"]);
                self.before.push(format!("\tfile, err := os.ReadFile({})\n{FAIL}\n", quote(name)));
                self.body = "bytes.NewReader(file)".to_owned();
            }
            SampleBody::Form { fields } => {
                self.imports.extend(["net/url", "strings"]);
                self.before.push("\tform := url.Values{}\n".to_owned());
                let adds =
                    fields.iter().map(|(name, value)| format!("\tform.Add({}, {})\n", quote(name), quote(value)));
                self.before.extend(adds);
                self.before.push("\n".to_owned());
                self.body = "strings.NewReader(form.Encode())".to_owned();
                self.media_type = Some(quote("application/x-www-form-urlencoded"));
            }
            SampleBody::Multipart { parts } => {
                self.imports.extend(["bytes", "mime/multipart"]);
                self.before.push("\tvar body bytes.Buffer\n\tform := multipart.NewWriter(&body)\n".to_owned());
                for (index, part) in parts.iter().enumerate() {
                    self.add_part(part, index + 1);
                }
                self.before.push("\tform.Close()\n\n".to_owned());
                self.body = "&body".to_owned();
                self.media_type = Some("form.FormDataContentType()".to_owned());
            }
        }
    }

    fn add_text(&mut self, text: &str) {
        self.imports.insert("strings");
        self.before.push(format!("\tbody := strings.NewReader({})\n", go_lines(text)));
        self.body = "body".to_owned();
    }

    /// Adds a part of a form. `number` makes the names of its variables.
    fn add_part(&mut self, part: &SamplePart, number: usize) {
        let name = quote(&part.name);
        // The writer escapes these in its own way, which not all servers read.
        let is_plain = !part.name.contains(['"', '\\', '\r', '\n']);
        let create = match (&part.content, &part.media_type) {
            (PartContent::Text(text), None) if is_plain => {
                self.before.push(format!("\tform.WriteField({name}, {})\n", quote(text)));
                return;
            }
            (PartContent::File(file), None) if is_plain => format!("form.CreateFormFile({name}, {})", quote(file)),
            (content, media_type) => self.create_part(&part.name, content, media_type.as_deref()),
        };
        self.before.push(format!("\tpart{number}, err := {create}\n{FAIL}"));
        match &part.content {
            PartContent::Text(text) => {
                self.before.push(format!("\tio.WriteString(part{number}, {})\n", quote(text)));
            }
            PartContent::File(file) => {
                self.imports.insert("os");
                let file = quote(file);
                self.before.push(format!("\tfile{number}, err := os.Open({file})\n{FAIL}"));
                self.before.push(format!("\tdefer file{number}.Close()\n\tio.Copy(part{number}, file{number})\n"));
            }
        }
    }

    /// The expression that creates a part with these headers.
    fn create_part(&mut self, name: &str, content: &PartContent, media_type: Option<&str>) -> String {
        self.imports.insert("net/textproto");
        let mut disposition = format!("form-data; name=\"{}\"", part_name(name));
        let default = match content {
            PartContent::File(file) => {
                disposition.push_str(&format!("; filename=\"{}\"", part_name(file)));
                Some("application/octet-stream")
            }
            PartContent::Text(_) => None,
        };
        let disposition = quote(&disposition);
        let headers = match media_type.or(default) {
            Some(media_type) => format!(
                "\t\t\"Content-Disposition\": {{{disposition}}},\n\t\t\"Content-Type\":        {{{}}},\n",
                quote(media_type)
            ),
            None => format!("\t\t\"Content-Disposition\": {{{disposition}}},\n"),
        };
        format!("form.CreatePart(textproto.MIMEHeader{{\n{headers}\t}})")
    }
}
