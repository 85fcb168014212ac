//! Reading a form of several parts.
use super::echo::Received;

/// A part: its name, the name of its file, its type, its content.
pub(super) type Part = (String, Option<String>, Option<String>, Vec<u8>);

pub(super) fn parts(request: &Received) -> Vec<Part> {
    let media_type = request.header("content-type").expect("a type");
    let boundary = media_type.strip_prefix("multipart/form-data; boundary=").expect("a boundary").trim_matches('"');
    let body = [b"\r\n", request.body.as_slice()].concat();
    let mut pieces = split(&body, format!("\r\n--{boundary}").as_bytes()).into_iter();
    assert_eq!(pieces.next(), Some(b"".as_slice()));
    let mut parts: Vec<&[u8]> = pieces.collect();
    assert_eq!(parts.pop().map(<[u8]>::trim_ascii), Some(b"--".as_slice()));
    parts.into_iter().map(part).collect()
}

fn part(bytes: &[u8]) -> Part {
    let [head, content] = split_once(bytes, b"\r\n\r\n");
    let head = std::str::from_utf8(head).expect("a head is UTF-8");
    let line = |name: &str| head.lines().find_map(|line| line.strip_prefix(name));
    let disposition = line("Content-Disposition: form-data; ").expect("a disposition");
    let value = |key: &str| {
        let (_, rest) =
            format!("; {disposition}").split_once(&format!("; {key}=\"")).map(|(a, b)| (a.len(), b.to_owned()))?;
        let raw = rest.split('"').next().expect("a value ends");
        Some(raw.replace("%22", "\"").replace("%0A", "\n").replace("%0D", "\r"))
    };
    let media_type = line("Content-Type: ").map(str::to_owned);
    (value("name").expect("a name"), value("filename"), media_type, content.to_vec())
}

fn split_once<'a>(bytes: &'a [u8], by: &[u8]) -> [&'a [u8]; 2] {
    let at = bytes.windows(by.len()).position(|window| window == by).expect("a head ends");
    [&bytes[..at], &bytes[at + by.len()..]]
}

fn split<'a>(bytes: &'a [u8], by: &[u8]) -> Vec<&'a [u8]> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let found = bytes.windows(by.len()).enumerate().filter(|(_, window)| *window == by);
    for (at, _) in found {
        pieces.push(&bytes[start..at]);
        start = at + by.len();
    }
    pieces.push(&bytes[start..]);
    pieces
}
