//! Sending e-mail.
use crate::notification::NotificationSubject;
use crate::text::{DisplayName, Email};
use async_trait::async_trait;

/// An e-mail to one user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mail {
    /// A text that is unique to this e-mail; an e-mail that is sent again has the same one.
    pub id: String,
    /// A text that all e-mails of a conversation have in common.
    pub thread: String,
    /// The address.
    pub to: Email,
    /// The name of the recipient.
    pub name: DisplayName,
    /// The subject: one line.
    pub subject: String,
    /// The content as plain text.
    pub text: String,
    /// The same content as HTML.
    pub html: String,
}

/// Why an e-mail was not sent.
#[derive(Debug, thiserror::Error)]
pub enum MailError {
    /// The mail server cannot be reached or does not accept e-mails now; a retry later may succeed.
    #[error("the mail server does not accept the e-mail")]
    Unavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The mail server refuses the recipient. Every retry would fail.
    #[error("the mail server refuses the recipient")]
    Refused(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// The addresses in e-mails.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait MailLinks: Send + Sync {
    /// The comment, or else the change request or the webhook, that notifications of a thread are about.
    fn thread(&self, subject: &NotificationSubject) -> String;
    /// The settings of the recipient.
    fn settings(&self) -> String;
}

/// Sends e-mails.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait Mailer: Send + Sync {
    /// Passes an e-mail to the mail server. After an error it may have been accepted nevertheless.
    async fn send(&self, mail: &Mail) -> Result<(), MailError>;
}
