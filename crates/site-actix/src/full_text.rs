//! `llms-full.txt`: the text of all pages in one response.
//!
//! A site can have more text than fits into memory. So the pages are read in pieces, each in its own visit that ends
//! before the piece is sent: no unit of work waits for a client, and a visitor who loses access gets no further piece.
//! A small site is one piece, with an ordinary response.
use crate::answer::CachePolicy;
use crate::error::SiteError;
use crate::handler::{NOTHING, Reply};
use crate::machine::{self, TEXT, addresses, summary};
use crate::request::{Encoding, SiteRequest};
use crate::site::SiteServer;
use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, HeaderName, HeaderValue, VARY};
use actix_web::web::Data;
use brotli::CompressorWriter;
use bytes::Bytes;
use domain::id::{PageId, SiteSpaceId};
use domain::text::one_line;
use domain::usecases::Error;
use domain::usecases::sites::reader::{PageText, VisitOutcome, Visiting, texts_at_once};
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::Stream;
use futures_util::stream::try_unfold;
use site_html::machine::{Addresses, Text, markdown};
use std::collections::VecDeque;
use std::io::Write;
use std::net::IpAddr;

/// The size of a piece before compression, in bytes. A piece ends with the page that reaches it.
const PIECE: usize = 512 * 1024;
/// The most pages of a piece.
const PIECE_PAGES: usize = 500;
/// The level of brotli for text that is compressed once: each level more takes nearly twice as long.
const BROTLI: u32 = 4;

/// A page that is still to be sent.
type Place = (SiteSpaceId, PageId);

/// A response in pieces.
pub(crate) struct FullText {
    first: String,
    rest: VecDeque<Place>,
    cache_policy: CachePolicy,
    headers: Vec<(HeaderName, HeaderValue)>,
}

/// All pages of the site, also those that are not in the table of contents.
pub(crate) async fn reply(
    server: &SiteServer,
    site_request: &SiteRequest,
    visiting: &mut Visiting<'_>,
) -> Result<Reply, SiteError> {
    let Some(frame) = visiting.around().await? else { return Ok(NOTHING) };
    let (mut rest, mut first) = (VecDeque::new(), format!("# {}\n", frame.title.replace(['\n', '\r'], " ")));
    {
        let pages = visiting.all_pages().await?;
        if let Some(summary) = summary(&pages, &visiting.canonical()) {
            first.push_str(&format!("\n> {}\n", one_line(&summary)));
        }
        rest.extend(pages.into_iter().filter(|page| !page.no_index).map(|page| (page.site_space, page.id)));
    }
    add_piece(visiting, &mut rest, &mut first).await?;
    let body = machine::body(server, visiting, TEXT, String::new(), true);
    if rest.is_empty() {
        let body = crate::answer::Body { bytes: first.into(), ..body };
        return Ok(Reply::Body(body.encode(site_request.encoding)));
    }
    Ok(Reply::FullText(Box::new(FullText { first, rest, cache_policy: body.cache_policy, headers: body.headers })))
}

/// Adds pages to a text until the piece is complete. Pages that no longer exist are skipped.
async fn add_piece(
    visiting: &mut Visiting<'_>,
    rest: &mut VecDeque<Place>,
    text: &mut String,
) -> Result<(), SiteError> {
    let base = visiting.base_path();
    let (mut count, mut loaded) = (0, 0);
    while text.len() < PIECE && count < PIECE_PAGES {
        if loaded == 0 {
            loaded = load(visiting, rest, texts_at_once(count)).await?;
        }
        let Some((site_space, page)) = rest.pop_front() else { break };
        loaded -= 1;
        let Some(page) = visiting.text(&site_space, &page).await? else { continue };
        count += 1;
        text.push('\n');
        text.push_str(&written(&page, &addresses(&base, visiting)));
    }
    Ok(())
}

/// Loads the texts of up to `most` next pages, which are in one space. Returns how many: at least one if any is left.
async fn load(visiting: &mut Visiting<'_>, rest: &VecDeque<Place>, most: usize) -> Result<usize, SiteError> {
    let Some((site_space, _)) = rest.front() else { return Ok(0) };
    let next = rest.iter().take(most).take_while(|(other, _)| other == site_space);
    let pages: Vec<PageId> = next.map(|(_, page)| page.clone()).collect();
    visiting.load_texts(site_space, &pages).await?;
    Ok(pages.len())
}

/// The text of a page with its address.
pub(crate) fn written(page: &PageText, addresses: &Addresses<'_>) -> String {
    let text = Text {
        title: &page.title,
        description: page.description.as_deref(),
        url: &page.url,
        document: &page.document,
        references: &page.references,
    };
    let text = markdown(&text, addresses);
    let (title, rest) = text.split_once('\n').unwrap_or((&text, ""));
    format!("{title}\n\nSource: {}\n{rest}", page.url)
}

/// Sends the pieces.
pub(crate) fn respond(
    server: Data<SiteServer>,
    site_request: SiteRequest,
    owner: IpAddr,
    full_text: FullText,
) -> HttpResponse {
    let FullText { first, rest, cache_policy, headers } = full_text;
    let mut response = HttpResponse::Ok();
    response
        .insert_header((CONTENT_TYPE, TEXT))
        .insert_header((CACHE_CONTROL, cache_policy.header()))
        .insert_header((VARY, "Accept, Accept-Encoding"));
    for (name, value) in headers {
        response.append_header((name, value));
    }
    let encoder = match site_request.encoding {
        Encoding::Identity => Encoder::Identity,
        Encoding::Gzip => Encoder::Gzip(Box::new(GzEncoder::new(Vec::new(), Compression::new(6)))),
        Encoding::Brotli => Encoder::Brotli(Box::new(CompressorWriter::new(Vec::new(), 4096, BROTLI, 22))),
    };
    match site_request.encoding {
        Encoding::Identity => {}
        Encoding::Gzip => drop(response.insert_header((CONTENT_ENCODING, "gzip"))),
        Encoding::Brotli => drop(response.insert_header((CONTENT_ENCODING, "br"))),
    }
    response.streaming(pieces(server, site_request, owner, State { text: first, rest, encoder }))
}

/// What is left to send, and the text that comes next.
struct State {
    text: String,
    rest: VecDeque<Place>,
    encoder: Encoder,
}

fn pieces(
    server: Data<SiteServer>,
    site_request: SiteRequest,
    owner: IpAddr,
    state: State,
) -> impl Stream<Item = Result<Bytes, SiteError>> {
    try_unfold(Some(state), move |state| {
        let (server, site_request) = (server.clone(), site_request.clone());
        async move {
            let Some(mut state) = state else { return Ok(None) };
            let job = {
                let server = server.clone();
                async move {
                    if state.text.is_empty() {
                        read(&server, &site_request, &mut state).await?;
                    }
                    let text = std::mem::take(&mut state.text);
                    Ok::<_, SiteError>(match state.rest.is_empty() {
                        true => (state.encoder.end(text.as_bytes()), None),
                        false => (state.encoder.write(text.as_bytes()), Some(state)),
                    })
                }
            };
            let done = server.work_pool.run(owner, 0, job).await.map_err(SiteError::from).and_then(|done| done);
            let (bytes, state) = done.inspect_err(|error| {
                tracing::warn!(error = %error, "sending all pages of a site ended early");
            })?;
            Ok(Some((bytes, state)))
        }
    })
}

/// Reads the next piece, if the visitor may still see the site.
async fn read(server: &SiteServer, site_request: &SiteRequest, state: &mut State) -> Result<(), SiteError> {
    match server.services.site_reader.enter(&site_request.visitor()).await? {
        VisitOutcome::Site(mut visiting) => add_piece(&mut visiting, &mut state.rest, &mut state.text).await,
        _ => Err(Error::NotFound("site").into()),
    }
}

/// Compresses a text piece by piece.
enum Encoder {
    Identity,
    Gzip(Box<GzEncoder<Vec<u8>>>),
    Brotli(Box<CompressorWriter<Vec<u8>>>),
}

impl Encoder {
    /// The bytes of a piece. Writing to memory does not fail.
    fn write(&mut self, text: &[u8]) -> Bytes {
        match self {
            Self::Identity => Bytes::copy_from_slice(text),
            Self::Gzip(writer) => {
                let _ = writer.write_all(text).and_then(|()| writer.flush());
                std::mem::take(writer.get_mut()).into()
            }
            Self::Brotli(writer) => {
                let _ = writer.write_all(text).and_then(|()| writer.flush());
                std::mem::take(writer.get_mut()).into()
            }
        }
    }

    /// The bytes of the last piece.
    fn end(self, text: &[u8]) -> Bytes {
        match self {
            Self::Identity => Bytes::copy_from_slice(text),
            Self::Gzip(mut writer) => {
                let _ = writer.write_all(text);
                writer.finish().unwrap_or_default().into()
            }
            Self::Brotli(mut writer) => {
                let _ = writer.write_all(text);
                writer.into_inner().into()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::GzDecoder;
    use std::io::Read;

    fn sent(mut encoder: Encoder) -> Vec<u8> {
        let mut all = encoder.write(b"first ").to_vec();
        assert!(!all.is_empty(), "a piece is sent at once");
        all.extend(encoder.write(b"second ").iter());
        all.extend(encoder.end(b"last").iter());
        all
    }

    #[test]
    fn pieces_are_one_text_in_each_encoding() {
        assert_eq!(sent(Encoder::Identity), b"first second last");
        let gzip = sent(Encoder::Gzip(Box::new(GzEncoder::new(Vec::new(), Compression::new(6)))));
        let mut text = String::new();
        GzDecoder::new(gzip.as_slice()).read_to_string(&mut text).unwrap();
        assert_eq!(text, "first second last");
        let brotli = sent(Encoder::Brotli(Box::new(CompressorWriter::new(Vec::new(), 4096, BROTLI, 22))));
        let mut text = Vec::new();
        brotli::BrotliDecompress(&mut brotli.as_slice(), &mut text).unwrap();
        assert_eq!(text, b"first second last");
    }
}
