//! Tests with an SMTP server on a loopback address.
use super::*;
use rstest::rstest;
use std::io::Write;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// A server that accepts one connection and responds to `RCPT` with this reply. Returns its port, and the lines that it
/// receives.
async fn server(reply: &'static str) -> (u16, JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let talk = async move {
        let (stream, _) = listener.accept().await.unwrap();
        let (read, mut write) = stream.into_split();
        let mut lines = BufReader::new(read).lines();
        write.write_all(b"220 test ESMTP\r\n").await.unwrap();
        let (mut seen, mut in_text) = (Vec::new(), false);
        while let Ok(Some(line)) = lines.next_line().await {
            let answer = match line.split(' ').next().unwrap_or_default() {
                "." if in_text => {
                    in_text = false;
                    "250 accepted"
                }
                _ if in_text => "",
                "EHLO" => "250-test\r\n250 AUTH PLAIN",
                "DATA" => {
                    in_text = true;
                    "354 go on"
                }
                "RCPT" => reply,
                "AUTH" => "235 welcome",
                "QUIT" => "221 bye",
                _ => "250 fine",
            };
            if !answer.is_empty() {
                write.write_all(format!("{answer}\r\n").as_bytes()).await.unwrap();
            }
            seen.push(line);
        }
        seen
    };
    (port, tokio::spawn(talk))
}

fn mail() -> Mail {
    Mail {
        id: "n1".into(),
        thread: "c1".into(),
        to: "bob@example.org".parse().unwrap(),
        name: "Bób".parse().unwrap(),
        subject: "[Guide] Why? é".into(),
        text: "Ada replied:\n\n  Because.\n.\n".into(),
        html: "<p>Ada replied</p>".into(),
    }
}

async fn send(port: u16, credentials: &str) -> Result<(), MailError> {
    let url = format!("smtp://{credentials}127.0.0.1:{port}");
    SmtpMailer::new(&url, "Octavo <octavo@docs.test>").unwrap().send(&mail()).await
}

#[tokio::test]
async fn a_message_arrives_with_its_headers_and_both_texts() {
    let (port, talk) = server("250 fine").await;
    send(port, "ada:secret@").await.unwrap();
    let seen = talk.await.unwrap();
    let has = |wanted: &str| assert!(seen.iter().any(|line| line.contains(wanted)), "{wanted} in {seen:#?}");
    for wanted in [
        "AUTH PLAIN",
        "MAIL FROM:<octavo@docs.test>",
        "RCPT TO:<bob@example.org>",
        "From: Octavo <octavo@docs.test>",
        "Message-ID: <n1@docs.test>",
        "In-Reply-To: <thread-c1@docs.test>",
        "References: <thread-c1@docs.test>",
        "Auto-Submitted: auto-generated",
        "Content-Type: text/plain",
        "Ada replied:",
        "Content-Type: text/html",
        "<p>Ada replied</p>",
    ] {
        has(wanted);
    }
    assert!(seen.contains(&"..".to_owned()), "a line with only a dot is not the end: {seen:#?}");
    let others = seen.iter().filter(|line| line.contains('@') && !line.contains("docs.test")).count();
    assert_eq!(others, 2, "only the recipient's address is in it: {seen:#?}");
}

#[rstest]
#[case::in_the_name("Bob\r\nBcc: eve@example.org", "Why?")]
#[case::in_the_name_with_a_line_feed_only("Bob\nBcc: eve@example.org", "Why?")]
#[case::in_the_subject("Bob", "Why?\r\nBcc: eve@example.org\r\n\r\nA text of mine")]
#[case::in_the_subject_with_a_line_feed_only("Bob", "Why?\nBcc: eve@example.org\n\nA text of mine")]
#[tokio::test]
async fn a_line_break_cannot_inject_a_header(#[case] name: &str, #[case] subject: &str) {
    let (port, talk) = server("250 fine").await;
    let mail = Mail { name: name.parse().unwrap(), subject: subject.to_owned(), ..mail() };
    let url = format!("smtp://127.0.0.1:{port}");
    SmtpMailer::new(&url, "octavo@docs.test").unwrap().send(&mail).await.unwrap();
    let seen = talk.await.unwrap();
    let begins = |text: &str| seen.iter().filter(|line| line.trim_start().starts_with(text)).count();
    assert_eq!((begins("RCPT"), begins("To:"), begins("Subject:")), (1, 1, 1), "{seen:#?}");
    assert_eq!((begins("Bcc"), begins("A text of mine")), (0, 0), "{seen:#?}");
}

#[rstest]
#[case("550 no such user", true)]
#[case("553 no such name", true)]
#[case("451 later", false)]
#[case("530 authenticate first", false)]
#[tokio::test]
async fn only_a_refused_recipient_is_a_permanent_error(#[case] reply: &'static str, #[case] refused: bool) {
    let (port, _talk) = server(reply).await;
    match send(port, "").await {
        Err(MailError::Refused(_)) => assert!(refused, "{reply}"),
        Err(MailError::Unavailable(_)) => assert!(!refused, "{reply}"),
        Ok(()) => panic!("{reply}"),
    }
}

/// A buffer for the log.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn a_refused_recipient_is_logged_with_the_code_and_without_the_address() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(move || writer.clone()).finish();
    let _logging = tracing::subscriber::set_default(subscriber);
    let (port, _talk) = server("550 no such user bob@example.org").await;
    send(port, "").await.unwrap_err();
    let logged = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    let line = logged.lines().find(|line| line.contains("refuses")).unwrap_or_else(|| panic!("{logged}"));
    assert!(line.contains("WARN") && line.contains("code=550"), "{line}");
    for text in ["example.org", "no such user", "Why?", "Because"] {
        assert!(!logged.contains(text), "{logged}");
    }
}

#[tokio::test]
async fn an_unreachable_server_is_reported_without_the_password() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let error = send(port, "ada:secret@").await.unwrap_err();
    assert!(matches!(error, MailError::Unavailable(_)));
    assert!(!format!("{error:?} {error}").contains("secret"));
}

#[rstest]
#[case("Octavo <octavo@example.org>", true)]
#[case("octavo@example.org", true)]
#[case("octavo", false)]
#[case("", false)]
#[case("a@example.org, b@example.org", false)]
fn a_sender_is_one_address(#[case] from: &str, #[case] fine: bool) {
    let made = SmtpMailer::new("smtp://localhost", from);
    assert_eq!(made.err(), (!fine).then_some(InvalidSetting::From));
}

#[test]
fn debug_output_does_not_show_the_password() {
    let mailer = SmtpMailer::new("smtps://ada:secret@mail.example.org", "octavo@example.org").unwrap();
    assert!(!format!("{mailer:?}").contains("secret"));
}
