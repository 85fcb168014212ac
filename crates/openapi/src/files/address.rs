//! Addresses of references.
use crate::refs::percent_decoded;
use crate::tree::unescape;
use url::Url;

/// The address of a reference without its fragment. `base` is `None` if the document has no address: then only absolute
/// addresses can be resolved.
///
/// # Errors
/// The reason, as the end of a sentence.
pub(super) fn resolve(base: Option<&Url>, target: &str) -> Result<Url, &'static str> {
    let parsed = match base {
        Some(base) => base.join(target),
        None => Url::parse(target),
    };
    let mut url = match (parsed, base) {
        (Ok(url), _) => url,
        (Err(url::ParseError::RelativeUrlWithoutBase), None) => return Err(ALONE),
        (Err(_), _) => return Err("cannot be followed: it is no address"),
    };
    url.set_fragment(None);
    // The files of a local document are local, too. Nothing else may lead to local files.
    let is_local = base.is_some_and(|base| base.scheme() == "file") && url.scheme() == "file";
    if is_local || matches!(url.scheme(), "http" | "https") {
        Ok(url)
    } else {
        Err("cannot be followed: only addresses with http or https can")
    }
}

/// The reason why a relative reference in a document without an address has no target.
pub(super) const ALONE: &str = "cannot be followed, as the text came alone: send the address of the document instead";

/// The name for a component from its source: the last step of the pointer, or the file name without its extension.
pub(super) fn name_of(address: &Url, pointer: &str) -> String {
    if let Some((_, step)) = pointer.rsplit_once('/') {
        return unescape(step).into_owned();
    }
    let file = address.path_segments().and_then(|mut segments| segments.rfind(|segment| !segment.is_empty()));
    let file = percent_decoded(file.unwrap_or("file"));
    match file.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem.to_owned(),
        _ => file.into_owned(),
    }
}
