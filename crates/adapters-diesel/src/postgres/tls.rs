//! TLS to PostgreSQL, with the `sslmode` of libpq.

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use std::path::PathBuf;
use std::sync::Arc;
use tokio_postgres_rustls::MakeRustlsConnect;

/// How the server must prove its identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ServerVerification {
    /// `prefer`, `require`: encrypted, but the server is not authenticated.
    None,
    /// `verify-full`: a certificate for this host name, signed by an authority in `sslrootcert`, or of the system
    /// without it.
    Full {
        /// A file of PEM certificates.
        roots: Option<PathBuf>,
    },
}

/// Creates the TLS connector.
pub(super) fn connector(verification: &ServerVerification) -> anyhow::Result<MakeRustlsConnect> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions()?;
    let config = match verification {
        ServerVerification::None => {
            builder.dangerous().with_custom_certificate_verifier(Arc::new(AcceptAnyCertificate(provider)))
        }
        ServerVerification::Full { roots } => builder.with_root_certificates(authorities(roots.as_ref())?),
    };
    Ok(MakeRustlsConnect::new(config.with_no_client_auth()))
}

fn authorities(file: Option<&PathBuf>) -> anyhow::Result<RootCertStore> {
    let certificates = match file {
        Some(path) => {
            let context = || format!("sslrootcert: cannot read certificates from {}", path.display());
            let read = CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
            anyhow::Context::with_context(read, context)?
        }
        None => rustls_native_certs::load_native_certs().certs,
    };
    let mut store = RootCertStore::empty();
    let (added, _ignored) = store.add_parsable_certificates(certificates);
    anyhow::ensure!(added > 0, "sslmode=verify-full: no CA certificate found; set sslrootcert");
    Ok(store)
}

/// Accepts any certificate, as libpq does below `verify-ca`; the handshake itself is checked.
#[derive(Debug)]
struct AcceptAnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AcceptAnyCertificate {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
