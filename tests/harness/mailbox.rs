//! A mail server in the test's process.
use async_trait::async_trait;
use domain::ports::{Mail, MailError, Mailer};
use std::sync::{Mutex, PoisonError};

/// How the mail server responds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Response {
    /// It accepts every e-mail.
    #[default]
    Accepts,
    /// It refuses every recipient.
    Refuses,
    /// It is away.
    Away,
}

/// Keeps the e-mails that a server sends.
#[derive(Default)]
pub struct Mailbox {
    state: Mutex<(Response, Vec<Mail>)>,
}

impl Mailbox {
    /// Sets how the mail server responds from now on.
    pub fn respond(&self, response: Response) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).0 = response;
    }

    /// The e-mails since the last call, in order.
    pub fn take(&self) -> Vec<Mail> {
        std::mem::take(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner).1)
    }
}

#[async_trait]
impl Mailer for Mailbox {
    async fn send(&self, mail: &Mail) -> Result<(), MailError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match state.0 {
            Response::Accepts => {
                state.1.push(mail.clone());
                Ok(())
            }
            Response::Refuses => Err(MailError::Refused("no such user".into())),
            Response::Away => Err(MailError::Unavailable("no route to host".into())),
        }
    }
}
