//! One SMTP session as a state machine: a line in, an answer out. No sockets here.

/// Largest mail in bytes, told to the client as SIZE.
pub(super) const LARGEST_MAIL: usize = 10 << 20;

/// Recipients of one mail.
const MOST_RECIPIENTS: usize = 100;

/// Sender and recipients of a mail.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Envelope {
    /// Empty for a bounce.
    pub(crate) from: String,
    /// At least one.
    pub(crate) to: Vec<String>,
}

/// The action after a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Send this and read on.
    Reply(&'static str),
    /// Send these lines and read on.
    Greet(String),
    /// Send 354 and read the mail for this envelope.
    Receive(Envelope),
    /// Send this and close.
    Close(&'static str),
}

/// State between lines.
#[derive(Debug, Default)]
pub(super) struct Session {
    greeted: bool,
    from: Option<String>,
    to: Vec<String>,
    errors: u32,
}

impl Session {
    /// Takes one line without its line end.
    pub(super) fn command(&mut self, line: &[u8]) -> Action {
        let Ok(line) = std::str::from_utf8(line) else { return self.wrong("500 5.5.2 Not UTF-8") };
        let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
        match verb.to_ascii_uppercase().as_str() {
            "EHLO" => self.greet(true),
            "HELO" => self.greet(false),
            "MAIL" => self.mail(rest),
            "RCPT" => self.recipient(rest),
            "DATA" => self.data(),
            "RSET" => {
                self.reset();
                Action::Reply("250 2.0.0 Forgotten")
            }
            "NOOP" => Action::Reply("250 2.0.0 OK"),
            "VRFY" => Action::Reply("252 2.1.5 Send it and see"),
            "QUIT" => Action::Close("221 2.0.0 Bye"),
            _ => self.wrong("500 5.5.1 Unknown command"),
        }
    }

    fn greet(&mut self, extended: bool) -> Action {
        self.reset();
        self.greeted = true;
        if extended {
            Action::Greet(format!(
                "250-banyan inbox\r\n250-PIPELINING\r\n250-SIZE {LARGEST_MAIL}\r\n250-8BITMIME\r\n\
                 250-SMTPUTF8\r\n250 ENHANCEDSTATUSCODES"
            ))
        } else {
            Action::Reply("250 banyan inbox")
        }
    }

    fn mail(&mut self, rest: &str) -> Action {
        if !self.greeted {
            return self.wrong("503 5.5.1 Say EHLO first");
        }
        if self.from.is_some() {
            return self.wrong("503 5.5.1 One sender at a time");
        }
        let Some((address, parameters)) = path_after(rest, "FROM:") else {
            return self.wrong("501 5.5.4 MAIL FROM:<address>");
        };
        if declared_size(parameters).is_some_and(|size| size > LARGEST_MAIL) {
            return Action::Reply("552 5.3.4 Too large");
        }
        self.from = Some(address);
        Action::Reply("250 2.1.0 OK")
    }

    fn recipient(&mut self, rest: &str) -> Action {
        if self.from.is_none() {
            return self.wrong("503 5.5.1 MAIL first");
        }
        match path_after(rest, "TO:") {
            Some((address, _)) if !address.is_empty() => {
                if self.to.len() >= MOST_RECIPIENTS {
                    return Action::Reply("452 4.5.3 Too many recipients");
                }
                self.to.push(address);
                Action::Reply("250 2.1.5 OK")
            }
            _ => self.wrong("501 5.5.4 RCPT TO:<address>"),
        }
    }

    fn data(&mut self) -> Action {
        match self.from.take() {
            Some(from) if !self.to.is_empty() => {
                Action::Receive(Envelope { from, to: std::mem::take(&mut self.to) })
            }
            from => {
                self.from = from;
                self.wrong("503 5.5.1 RCPT first")
            }
        }
    }

    fn reset(&mut self) {
        self.from = None;
        self.to.clear();
    }

    /// A client that makes many mistakes is not speaking SMTP.
    fn wrong(&mut self, reply: &'static str) -> Action {
        self.errors += 1;
        if self.errors > 20 { Action::Close("421 4.7.0 Too many errors") } else { Action::Reply(reply) }
    }
}

/// The address of `FROM:<a@b> SIZE=1`, and what follows it.
fn path_after<'a>(rest: &'a str, word: &str) -> Option<(String, &'a str)> {
    let head = rest.get(..word.len())?;
    if !head.eq_ignore_ascii_case(word) {
        return None;
    }
    let rest = rest[word.len()..].trim_start();
    let (address, parameters) = match rest.strip_prefix('<') {
        Some(inner) => inner.split_once('>')?,
        None => rest.split_once(' ').unwrap_or((rest, "")),
    };
    let clean = address.len() <= 320 && !address.chars().any(|c| c.is_control() || c == '<' || c == '>');
    clean.then(|| (address.to_owned(), parameters.trim()))
}

fn declared_size(parameters: &str) -> Option<usize> {
    parameters
        .split_whitespace()
        .find_map(|word| word.split_once('=').filter(|(name, _)| name.eq_ignore_ascii_case("SIZE")))
        .map(|(_, size)| size.parse().unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Says each line and compares the first three characters of each answer.
    fn talk(lines: &[(&str, &str)]) -> Session {
        let mut session = Session::default();
        for (line, code) in lines {
            let answer = match session.command(line.as_bytes()) {
                Action::Reply(text) | Action::Close(text) => text.to_owned(),
                Action::Greet(text) => text,
                Action::Receive(_) => "354".to_owned(),
            };
            assert_eq!(&answer[..3], *code, "{line}");
        }
        session
    }

    #[test]
    fn smtp_answers_follow_the_order_of_commands() {
        talk(&[
            ("MAIL FROM:<a@b.c>", "503"),
            ("EHLO me", "250"),
            ("RCPT TO:<x@y.z>", "503"),
            ("DATA", "503"),
            ("mail from:<a@b.c> BODY=8BITMIME SMTPUTF8 SIZE=100", "250"),
            ("MAIL FROM:<a@b.c>", "503"),
            ("DATA", "503"),
            ("rcpt to:<x@y.z>", "250"),
            ("RCPT TO:<>", "501"),
            ("NOOP", "250"),
            ("DATA", "354"),
            ("DATA", "503"),
            ("VRFY x", "252"),
            ("BLAH", "500"),
            ("QUIT", "221"),
        ]);
    }

    #[test]
    fn smtp_a_mail_declared_too_large_is_refused_before_it_is_sent() {
        talk(&[("HELO me", "250"), ("MAIL FROM:<a@b.c> SIZE=99999999", "552"), ("MAIL FROM:<a@b.c>", "250")]);
    }

    #[test]
    fn smtp_recipients_are_counted() {
        let mut session = talk(&[("EHLO me", "250"), ("MAIL FROM:<>", "250")]);
        for _ in 0..MOST_RECIPIENTS {
            assert_eq!(session.command(b"RCPT TO:<x@y.z>"), Action::Reply("250 2.1.5 OK"));
        }
        assert!(
            matches!(session.command(b"RCPT TO:<x@y.z>"), Action::Reply(text) if text.starts_with("452"))
        );
    }

    #[test]
    fn smtp_a_reset_forgets_sender_and_recipients() {
        talk(&[
            ("EHLO me", "250"),
            ("MAIL FROM:<a@b.c>", "250"),
            ("RCPT TO:<x@y.z>", "250"),
            ("RSET", "250"),
            ("DATA", "503"),
        ]);
    }

    #[test]
    fn smtp_a_client_that_only_errs_is_hung_up_on() {
        let mut session = Session::default();
        let last =
            (0..30).map(|_| session.command(b"GET / HTTP/1.1")).find(|a| matches!(a, Action::Close(_)));
        assert!(last.is_some());
    }

    #[test]
    fn smtp_addresses_cannot_carry_control_characters() {
        talk(&[("EHLO me", "250"), ("MAIL FROM:<a\u{7}b@c.d>", "501"), ("MAIL FROM:<a b", "501")]);
    }
}
