//! Cards that lead elsewhere: embeds, integrations and references.
use super::link::safe;
use super::{Blocks, classes};
use crate::texts::Word;
use domain::content::document::{Block, ContentRefBlock, Embed, Integration, inline_text};
use domain::content::reference::ContentRef;
use maud::{Markup, html};
use url::Url;

/// The address of the frame for a page of a provider whose pages can be framed.
fn frame(url: &Url) -> Option<String> {
    let host = url.host_str()?.trim_start_matches("www.");
    let path = url.path().trim_matches('/');
    let segments: Vec<&str> = path.split('/').collect();
    let query = |wanted: &str| url.query_pairs().find(|(name, _)| name == wanted).map(|(_, value)| value.into_owned());
    let id = |id: &str| Some(id.to_owned()).filter(|id| is_id(id));
    match (host, segments.as_slice()) {
        ("youtube.com" | "m.youtube.com" | "youtube-nocookie.com", ["embed" | "shorts" | "live", video]) => {
            Some(format!("https://www.youtube-nocookie.com/embed/{}", id(video)?))
        }
        ("youtube.com" | "m.youtube.com", ["watch"]) => {
            Some(format!("https://www.youtube-nocookie.com/embed/{}", id(&query("v")?)?))
        }
        ("youtu.be", [video]) => Some(format!("https://www.youtube-nocookie.com/embed/{}", id(video)?)),
        ("vimeo.com", [video]) | ("player.vimeo.com", ["video", video]) => {
            let video: u64 = video.parse().ok()?;
            Some(format!("https://player.vimeo.com/video/{video}?dnt=1"))
        }
        ("loom.com", ["share" | "embed", video]) => Some(format!("https://www.loom.com/embed/{}", id(video)?)),
        ("codepen.io", [user, "pen" | "embed" | "full" | "details", pen]) => {
            Some(format!("https://codepen.io/{}/embed/{}?default-tab=result", id(user)?, id(pen)?))
        }
        ("figma.com", [kind @ ("file" | "design" | "proto" | "board"), key, ..]) => {
            Some(format!("https://embed.figma.com/{kind}/{}?embed-host=docs", id(key)?))
        }
        ("codesandbox.io", ["s" | "embed", sandbox]) => Some(format!("https://codesandbox.io/embed/{}", id(sandbox)?)),
        ("open.spotify.com", [kind @ ("track" | "album" | "playlist" | "episode" | "show"), one]) => {
            Some(format!("https://open.spotify.com/embed/{kind}/{}", id(one)?))
        }
        _ => None,
    }
}

/// Whether a text can be the id of something at a provider.
fn is_id(text: &str) -> bool {
    (1..=100).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

pub(super) fn embed(blocks: &mut Blocks<'_>, block: &Block, data: &Embed) -> Markup {
    let Some(href) = safe(&data.url).filter(|href| href.external) else {
        return html! { @if !data.url.trim().is_empty() { p.o-missing { (data.url) } } };
    };
    let url = Url::parse(&href.href).ok();
    let host = url.as_ref().and_then(Url::host_str).unwrap_or_default().trim_start_matches("www.").to_owned();
    let framed = url.as_ref().and_then(frame);
    if let Some(origin) = framed.as_deref().and_then(|framed| Url::parse(framed).ok()) {
        blocks.frames.insert(origin.origin().ascii_serialization());
    }
    let caption = inline_text(&block.content);
    let name = if caption.trim().is_empty() { host.clone() } else { caption };
    let title = html! {
        (blocks.icon(if framed.is_some() { "circle-play" } else { "globe" }))
        strong { (name) }
        small { (readable(&href.href)) }
    };
    html! {
        figure class=(classes("o-embed", &[("o-wide", data.full_width == Some(true))])) {
            (blocks.link(&href, Some("o-ref"), None, &title))
            @if let Some(framed) = framed {
                button.o-button type="button" data-embed=(framed) data-title=(name) hidden { (blocks.word(Word::ShowHere)) }
            }
        }
    }
}

/// An address for people: without its scheme, and cut.
fn readable(url: &str) -> String {
    const MAX_LENGTH: usize = 80;
    let plain = url.trim_start_matches("https://").trim_start_matches("http://").trim_start_matches("www.");
    let plain = plain.trim_end_matches('/');
    match plain.char_indices().nth(MAX_LENGTH) {
        Some((at, _)) => format!("{}…", &plain[..at]),
        None => plain.to_owned(),
    }
}

pub(super) fn integration(blocks: &Blocks<'_>, data: &Integration) -> Markup {
    let Some(href) = data.url.as_deref().and_then(safe).filter(|href| href.external) else { return html! {} };
    let title = html! { (blocks.icon("puzzle-piece")) strong { (data.integration) } small { (readable(&href.href)) } };
    blocks.link(&href, Some("o-ref"), None, &title)
}

pub(super) fn reference(blocks: &Blocks<'_>, data: &ContentRefBlock) -> Markup {
    let target = &data.target.0;
    let label = data.label.as_deref().filter(|label| !label.is_empty());
    let is_address = matches!(target, ContentRef::Url { .. });
    let shown = blocks.shown(target);
    let title = match (&shown, label) {
        (Some(shown), None) => shown.title.clone(),
        (Some(shown), Some(_)) if !is_address => shown.title.clone(),
        (_, Some(label)) => label.to_owned(),
        (None, None) => return html! {},
    };
    let address = shown.as_ref().filter(|_| is_address && label.is_some()).map(|shown| readable(&shown.title));
    let (description, sign) = shown.map_or((None, None), |shown| (shown.description, shown.sign));
    let description = description.or(address);
    let inner = html! {
        @if let Some(sign) = sign { (sign) }
        strong { (title) }
        @if let Some(description) = description { small { (description) } }
    };
    match blocks.leads(target) {
        Some(href) => blocks.link(&href.with_query(data.query.as_deref()), Some("o-ref"), None, &inner),
        None => html! { p.o-ref.o-missing { (inner) } },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("https://www.youtube.com/watch?v=abc_-1&t=3", Some("https://www.youtube-nocookie.com/embed/abc_-1"))]
    #[case("https://youtu.be/abc", Some("https://www.youtube-nocookie.com/embed/abc"))]
    #[case("https://vimeo.com/123", Some("https://player.vimeo.com/video/123?dnt=1"))]
    #[case("https://www.loom.com/share/0a1b", Some("https://www.loom.com/embed/0a1b"))]
    #[case("https://codepen.io/ada/pen/xyz", Some("https://codepen.io/ada/embed/xyz?default-tab=result"))]
    #[case("https://www.figma.com/design/K3y/Title", Some("https://embed.figma.com/design/K3y?embed-host=docs"))]
    #[case("https://open.spotify.com/track/1a", Some("https://open.spotify.com/embed/track/1a"))]
    #[case("https://youtu.be/a%22b", None)]
    #[case("https://youtube.com.example.org/watch?v=a", None)]
    #[case("https://example.org/watch?v=a", None)]
    fn pages_of_some_providers_have_a_frame(#[case] url: &str, #[case] expected: Option<&str>) {
        assert_eq!(frame(&Url::parse(url).expect("an address")).as_deref(), expected);
    }

    #[test]
    fn a_long_address_is_cut() {
        assert_eq!(readable("https://example.org/"), "example.org");
        assert_eq!(readable(&format!("https://{}", "é".repeat(100))).chars().count(), 81);
    }
}
