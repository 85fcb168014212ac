//! A server that sends e-mails through an SMTP server on this machine.
use crate::killed::{TOKEN, make_space, octavo, organization};
use crate::killed_comments::{bob, mentioning};
use acceptance::Backend;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// The longest time until an e-mail that is due arrives.
const HANG: Duration = Duration::from_secs(60);

/// An SMTP server that accepts every e-mail. Returns its port, and the commands and lines of each e-mail.
fn mail_server() -> (u16, Receiver<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (accepted, mails) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let _ended = talk(stream, &accepted);
        }
    });
    (port, mails)
}

/// One conversation, up to its end.
fn talk(stream: TcpStream, accepted: &Sender<Vec<String>>) -> std::io::Result<()> {
    let mut writer = stream.try_clone()?;
    let (mut mail, mut in_text) = (Vec::new(), false);
    writer.write_all(b"220 test ESMTP\r\n")?;
    for line in BufReader::new(stream).lines() {
        let line = line?;
        let answer = match line.split(' ').next().unwrap_or_default() {
            "." if in_text => {
                in_text = false;
                let _gone = accepted.send(std::mem::take(&mut mail));
                "250 accepted\r\n"
            }
            _ if in_text => "",
            "EHLO" => "250 test\r\n",
            "DATA" => {
                in_text = true;
                "354 go on\r\n"
            }
            "QUIT" => "221 bye\r\n",
            _ => "250 fine\r\n",
        };
        writer.write_all(answer.as_bytes())?;
        mail.push(line);
    }
    Ok(())
}

#[test]
fn a_server_sends_the_email_about_a_mention_once() {
    let (port, mails) = mail_server();
    let octavo = octavo(Backend::Sqlite).unwrap();
    let octavo = octavo.with("OCTAVO_SMTP_URL", &format!("smtp://127.0.0.1:{port}"));
    let octavo = octavo.with("OCTAVO_MAIL_FROM", "Octavo <octavo@docs.test>");
    let server = octavo.start(&["serve"]);
    let space = make_space(&server.address, &organization(&server)).unwrap();
    let (bob, token_of_bob) = bob(&octavo);
    let posted = server.post(&format!("/v1/spaces/{space}/comments"), TOKEN, &mentioning(&bob));
    assert_eq!(posted.status, 200, "{}", posted.body);
    let settings = server.get("/v1/user/notification-settings", &token_of_bob).json();
    assert_eq!(settings["emailAvailable"], true, "{settings}");
    server.stop().fine();

    // It is due five minutes after the mention.
    octavo.change("UPDATE jobs SET due_at = created_at");
    let server = octavo.start(&["serve"]);
    let mail = mails.recv_timeout(HANG).expect("an e-mail");
    for wanted in [
        "MAIL FROM:<octavo@docs.test>",
        "RCPT TO:<bob@example.org>",
        "From: Octavo <octavo@docs.test>",
        "mentioned you:",
        "Said while it was killed",
    ] {
        assert!(mail.iter().any(|line| line.contains(wanted)), "{wanted} in {mail:#?}");
    }
    server.stop().fine();
    octavo.change("UPDATE jobs SET due_at = created_at");
    octavo.run(&["jobs", "run"]).fine();
    assert!(mails.try_recv().is_err(), "there is no second one");
}
