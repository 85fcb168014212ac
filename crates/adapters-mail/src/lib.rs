//! Sends e-mail through an SMTP server. A password is sent only over TLS, or to the same machine.
mod address;
#[cfg(test)]
mod tests;

pub use address::InvalidSetting;

use address::{Server, Tls};
use async_trait::async_trait;
use domain::ports::mail::{Mail, MailError, Mailer};
use domain::text::one_line;
use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart};
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Tls as Protection, TlsParameters};
use lettre::{Address, AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor};
use std::time::Duration;

/// The time limit of each SMTP command.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The reply codes for a permanently refused recipient (RFC 5321, section 4.2.3). The operator can fix the causes of
/// other codes, such as a failed authentication.
const REFUSED: [u16; 3] = [550, 551, 553];

/// Sends e-mail through one server, from one address.
#[derive(Debug)]
pub struct SmtpMailer {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
}

impl SmtpMailer {
    /// A mailer for a server such as `smtps://user:password@mail.example.org`, and a sender such as
    /// `Octavo <octavo@example.org>`.
    ///
    /// # Errors
    /// If a setting is invalid. The error contains no part of its value.
    pub fn new(url: &str, from: &str) -> Result<Self, InvalidSetting> {
        let Server { host, port, credentials, tls } = Server::parse(url)?;
        let from = from.parse().ok().ok_or(InvalidSetting::From)?;
        let parameters = || TlsParameters::new(host.clone()).ok().ok_or(InvalidSetting::Tls);
        let protection = match tls {
            Tls::FromStart => Protection::Wrapper(parameters()?),
            Tls::Required => Protection::Required(parameters()?),
            Tls::IfOffered => Protection::Opportunistic(parameters()?),
            Tls::Never => Protection::None,
        };
        let mut builder = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(&host).port(port).tls(protection);
        if let Some((user, password)) = credentials {
            builder = builder.credentials(Credentials::new(user, password));
        }
        Ok(Self { transport: builder.timeout(Some(TIMEOUT)).build(), from })
    }

    fn message(&self, mail: &Mail) -> Result<Message, MailError> {
        let domain = self.from.email.domain();
        let address: Address = mail.to.as_str().parse().map_err(|error| MailError::Refused(Box::new(error)))?;
        let thread = format!("<thread-{}@{domain}>", mail.thread);
        let automatic = HeaderName::new_from_ascii_str("Auto-Submitted");
        Message::builder()
            .from(self.from.clone())
            // A control character is invalid in a name, and a line break could inject a header.
            .to(Mailbox::new(Some(one_line(mail.name.as_str())), address))
            .subject(one_line(&mail.subject))
            .message_id(Some(format!("<{}@{domain}>", mail.id)))
            .in_reply_to(thread.clone())
            .references(thread)
            .raw_header(HeaderValue::new(automatic, "auto-generated".to_owned()))
            .multipart(MultiPart::alternative_plain_html(mail.text.clone(), mail.html.clone()))
            .map_err(|error| MailError::Refused(Box::new(error)))
    }
}

#[async_trait]
impl Mailer for SmtpMailer {
    async fn send(&self, mail: &Mail) -> Result<(), MailError> {
        let message = self.message(mail)?;
        match self.transport.send(message).await {
            Ok(_) => Ok(()),
            Err(error) => match error.status().filter(|code| REFUSED.contains(&u16::from(*code))) {
                Some(code) => {
                    // Without the text of the reply, which often contains the address.
                    tracing::warn!(code = u16::from(code), "the mail server refuses the recipient of an e-mail");
                    Err(MailError::Refused(Box::new(error)))
                }
                None => Err(MailError::Unavailable(Box::new(error))),
            },
        }
    }
}
