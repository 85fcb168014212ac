//! A proxy for images of other hosts on pages of sites.
use crate::ports::Fetcher;
use crate::ports::fetch::FetchRequest;
use crate::site::external_image::{ImageSigner, MAX_IMAGE, media_type};
use bytes::Bytes;
use std::sync::Arc;
use std::time::Duration;

/// The time limit of a fetch. It is short because a visitor waits.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Fetches images of other hosts that pages of sites show.
#[derive(Clone)]
pub struct ExternalImages {
    /// Fetches them.
    pub fetcher: Arc<dyn Fetcher>,
    /// Signs and checks their addresses.
    pub signer: ImageSigner,
}

/// An image of another host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalImage {
    /// All bytes.
    pub bytes: Bytes,
    /// The media type, by the bytes.
    pub media_type: &'static str,
}

impl ExternalImages {
    /// Fetches the image at a signed path; see [`ImageSigner::verify`]. `None` if the path is not signed, the image
    /// cannot be fetched, or it is not an image. No unit of work may be open.
    pub async fn fetch(&self, path: &str) -> Option<ExternalImage> {
        let url = self.signer.verify(path)?;
        let request = FetchRequest { url, max_bytes: MAX_IMAGE, timeout: Some(TIMEOUT) };
        match self.fetcher.fetch(request).await {
            Ok(fetched) => {
                let media_type = media_type(&fetched.bytes, fetched.content_type.as_deref())?;
                Some(ExternalImage { bytes: fetched.bytes, media_type })
            }
            Err(error) => {
                tracing::debug!(%error, "an image of another host cannot be fetched");
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::Fetched;
    use crate::ports::fetch::{FetchError, MockFetcher};
    use crate::site::external_image::EXTERNAL;
    use rstest::rstest;

    const URL: &str = "https://badges.example.org/build.png";

    fn images(answer: Result<Fetched, FetchError>) -> ExternalImages {
        let mut fetcher = MockFetcher::new();
        fetcher.expect_fetch().returning(move |request| {
            assert_eq!((request.url.as_str(), request.max_bytes), (URL, MAX_IMAGE));
            answer.clone()
        });
        ExternalImages { fetcher: Arc::new(fetcher), signer: ImageSigner::new(&[7; 32]) }
    }

    #[rstest]
    #[case(Ok(Fetched { bytes: Bytes::from_static(b"GIF89a..."), content_type: None }), Some("image/gif"))]
    #[case(Ok(Fetched { bytes: Bytes::from_static(b"<html>"), content_type: Some("image/png".into()) }), None)]
    #[case(Err(FetchError::Private), None)]
    #[tokio::test]
    async fn an_image_is_fetched_if_it_is_one(
        #[case] answer: Result<Fetched, FetchError>,
        #[case] expected: Option<&str>,
    ) {
        let images = images(answer);
        let path = images.signer.path(URL);
        let found = images.fetch(path.strip_prefix(EXTERNAL).unwrap()).await;
        assert_eq!(found.map(|found| found.media_type), expected);
    }

    #[tokio::test]
    async fn nothing_is_fetched_for_a_path_that_is_not_signed() {
        let images = ExternalImages { fetcher: Arc::new(MockFetcher::new()), signer: ImageSigner::new(&[7; 32]) };
        assert_eq!(images.fetch("AAAA/aHR0cHM6Ly9hLnRlc3Qv").await, None);
    }
}
