//! The address of an SMTP server.
use percent_encoding::percent_decode_str;
use url::{Host, Url};

/// An invalid setting. The message contains no part of its value, which can have a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSetting {
    /// The URL of the server.
    #[error("must be smtp://HOST or smtps://HOST, with an optional USER:PASSWORD@ before and :PORT after the host")]
    Url,
    /// The sender.
    #[error("must be an address such as octavo@example.org, or a name with one: Octavo <octavo@example.org>")]
    From,
    /// The host cannot be verified by TLS.
    #[error("must have a host that a certificate can name")]
    Tls,
}

/// The protection of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tls {
    /// TLS from the first byte.
    FromStart,
    /// `STARTTLS` is required.
    Required,
    /// `STARTTLS` if the server offers it.
    IfOffered,
    /// None.
    Never,
}

/// A server, with the way to talk to it.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Server {
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) credentials: Option<(String, String)>,
    pub(crate) tls: Tls,
}

impl Server {
    pub(crate) fn parse(raw: &str) -> Result<Self, InvalidSetting> {
        let wrong = InvalidSetting::Url;
        let url = Url::parse(raw).ok().ok_or(wrong)?;
        let bare = matches!(url.path(), "" | "/") && url.query().is_none() && url.fragment().is_none();
        let implicit = match url.scheme() {
            "smtps" if bare => true,
            "smtp" if bare => false,
            _ => return Err(wrong),
        };
        // The parser does not normalize the host of an unknown scheme.
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or(wrong)?;
        let host = Host::parse(host).ok().ok_or(wrong)?;
        let is_local = match &host {
            Host::Domain(name) => name == "localhost",
            Host::Ipv4(address) => address.is_loopback(),
            Host::Ipv6(address) => address.is_loopback(),
        };
        let decoded = |part: &str| percent_decode_str(part).decode_utf8().ok().map(String::from).ok_or(wrong);
        let credentials = match (url.username(), url.password()) {
            ("", None) => None,
            ("", Some(_)) | (_, None) => return Err(wrong),
            (user, Some(password)) => Some((decoded(user)?, decoded(password)?)),
        };
        let tls = match (implicit, credentials.is_some()) {
            (true, _) => Tls::FromStart,
            // Certificates do not contain loopback addresses.
            (false, _) if is_local => Tls::Never,
            (false, true) => Tls::Required,
            (false, false) => Tls::IfOffered,
        };
        let standard = match tls {
            Tls::FromStart => 465,
            Tls::Required => 587,
            Tls::IfOffered | Tls::Never => 25,
        };
        let host = match host {
            Host::Ipv6(address) => address.to_string(),
            other => other.to_string(),
        };
        Ok(Self { host, port: url.port().unwrap_or(standard), credentials, tls })
    }
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("host", &self.host).field("port", &self.port).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("smtps://mail.example.org", "mail.example.org", 465, None, Tls::FromStart)]
    #[case("smtps://ada:s%40cret@mail.example.org:4650", "mail.example.org", 4650, Some(("ada", "s@cret")), Tls::FromStart)]
    #[case("smtp://ada%40example.org:x@mail.example.org", "mail.example.org", 587, Some(("ada@example.org", "x")), Tls::Required)]
    #[case("smtp://mail.example.org", "mail.example.org", 25, None, Tls::IfOffered)]
    #[case("smtp://127.0.0.1:2525", "127.0.0.1", 2525, None, Tls::Never)]
    #[case("smtp://ada:x@localhost", "localhost", 25, Some(("ada", "x")), Tls::Never)]
    #[case("smtp://[::1]:25/", "::1", 25, None, Tls::Never)]
    fn a_password_is_sent_only_over_tls_or_to_this_machine(
        #[case] url: &str,
        #[case] host: &str,
        #[case] port: u16,
        #[case] credentials: Option<(&str, &str)>,
        #[case] tls: Tls,
    ) {
        let credentials = credentials.map(|(user, password)| (user.to_owned(), password.to_owned()));
        assert_eq!(Server::parse(url), Ok(Server { host: host.to_owned(), port, credentials, tls }));
    }

    #[rstest]
    #[case("mail.example.org")]
    #[case("https://mail.example.org")]
    #[case("smtp://")]
    #[case("smtp://ada@mail.example.org")]
    #[case("smtp://:secret@mail.example.org")]
    #[case("smtp://mail.example.org/inbox")]
    #[case("smtp://mail.example.org?tls=none")]
    #[case("smtp://ada:%ff@mail.example.org")]
    fn another_url_is_refused(#[case] url: &str) {
        assert_eq!(Server::parse(url), Err(InvalidSetting::Url));
    }

    #[test]
    fn debug_output_does_not_show_the_password() {
        let server = Server::parse("smtp://ada:secret@mail.example.org").unwrap();
        assert!(!format!("{server:?}").contains("secret"));
    }
}
