//! Events as lines for a person at a terminal: one short line a request, one or two for all else.

use std::fmt::{self, Debug};

use banyan_identity::Clock;
use jiff::{Timestamp, civil::Time, tz::TimeZone};
use tracing::{
    Event, Level, Subscriber,
    field::{Field, Visit},
};
use tracing_subscriber::{
    fmt::{FmtContext, FormatEvent, FormatFields, format::Writer},
    registry::LookupSpan,
};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::harmless;

/// Columns that a line takes at most, where its message alone is no longer than that.
const WIDTH: usize = 100;
/// Columns before the message: the time, and the level or the method.
const MARGIN: usize = 17;
/// Columns of a method. Shorter ones are padded, longer ones cut.
const METHOD: usize = 7;
/// Columns of a path. Shorter ones are padded, so that the statuses stand below each other.
const PATH: usize = 44;
/// Columns that a long path may take. Longer ones are cut.
const LONGEST_PATH: usize = 70;

/// Writes each event for people, in the local time of the machine.
pub(super) struct TerminalLines {
    clock: Clock,
    zone: TimeZone,
    paint: Paint,
}

impl TerminalLines {
    pub(super) fn new(clock: Clock, coloured: bool) -> Self {
        Self { clock, zone: TimeZone::system(), paint: Paint { coloured } }
    }

    /// The time of day. What no calendar holds is midnight.
    fn time(&self) -> Time {
        let seconds = self.clock.now().unix_timestamp();
        Timestamp::from_second(seconds).map_or(Time::MIN, |now| self.zone.to_datetime(now).time())
    }
}

impl<S, N> FormatEvent<S, N> for TerminalLines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(&self, _: &FmtContext<'_, S, N>, mut out: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        out.write_str(&line(self.time(), &LogEvent::of(event), self.paint))
    }
}

/// What an event says.
struct LogEvent {
    level: Level,
    target: &'static str,
    message: String,
    fields: Vec<(&'static str, String)>,
}

impl LogEvent {
    fn of(event: &Event<'_>) -> Self {
        let (level, target) = (*event.metadata().level(), event.metadata().target());
        let mut told = Self { level, target, message: String::new(), fields: Vec::new() };
        event.record(&mut told);
        told
    }

    fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }

    /// `name=value`, each. The id of a request is left out of what is no warning: it is long, and
    /// the lines of requests do not show it.
    fn details(&self) -> String {
        let is_news = |name: &str| self.level <= Level::WARN || name != "request.id";
        let shown = self.fields.iter().filter(|(name, _)| is_news(name));
        shown.map(|(name, value)| format!("{name}={}", quoted(value))).collect::<Vec<_>>().join(" ")
    }
}

impl Visit for LogEvent {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "message" => value.clone_into(&mut self.message),
            name => self.fields.push((name, value.to_owned())),
        }
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.record_str(field, &format!("{value:.1}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.record_str(field, &format!("{value:?}"));
    }
}

/// A value with spaces stands in quotes, so that its end is seen.
fn quoted(value: &str) -> String {
    if value.is_empty() || value.contains(char::is_whitespace) {
        format!("\"{value}\"")
    } else {
        value.to_owned()
    }
}

/// The line of an event, with its end.
fn line(at: Time, told: &LogEvent, paint: Paint) -> String {
    let text = request(told, paint).unwrap_or_else(|| remark(told, paint));
    let time = format!("{:02}:{:02}:{:02}", at.hour(), at.minute(), at.second());
    format!("{} {text}\n", paint.with(DIM, &time))
}

/// Method, path, status and time of an answered request; nothing for what is none.
fn request(told: &LogEvent, paint: Paint) -> Option<String> {
    let method = told.field("request.method")?;
    let method = cut(&harmless(method), METHOD);
    let path = without_query(told.field("request.path")?);
    let padding = PATH.saturating_sub(path.width());
    let status = told.field("response.status")?;
    let took = duration(told.field("duration_ms")?.parse().ok()?);
    let status = paint.with(colour_of(status), status);
    Some(format!("{method:<METHOD$} {path}{:padding$} {status} {took:>8}", ""))
}

/// A path without its query, where codes and tokens are, and cut where it is long.
fn without_query(path: &str) -> String {
    let path = harmless(path.split('?').next().unwrap_or_default()).replace(['\n', '\t'], " ");
    cut(&path, LONGEST_PATH)
}

/// A text of at most so many columns; a sign stands for what is left out.
fn cut(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut left = columns - 1;
    let fits = |c: &char| {
        let fits = c.width().unwrap_or_default() <= left;
        left = left.saturating_sub(c.width().unwrap_or_default());
        fits
    };
    text.chars().take_while(fits).chain(['…']).collect()
}

fn duration(ms: f64) -> String {
    match ms {
        ..9.95 => format!("{ms:.1} ms"),
        ..999.5 => format!("{ms:.0} ms"),
        _ => format!("{:.1} s", ms / 1000.0),
    }
}

/// Everything else: level and message, and the fields beside it or on the next line.
fn remark(told: &LogEvent, paint: Paint) -> String {
    let message = indented(&message(told));
    let details = indented(&told.details());
    let columns = MARGIN + message.width() + 2 + details.width();
    let level = format!("{:<7}", told.level.as_str());
    let mut text = format!("{} {message}", paint.with(colour_of_level(told.level), &level));
    if !details.is_empty() {
        let is_short = columns <= WIDTH && !text.contains('\n');
        text += &if is_short { "  ".to_owned() } else { format!("\n{:MARGIN$}", "") };
        text += &paint.with(DIM, &details);
    }
    text
}

/// The message; in detail, also which part of the program says it.
fn message(told: &LogEvent) -> String {
    if told.level <= Level::INFO {
        told.message.clone()
    } else {
        format!("{}: {}", told.target, told.message)
    }
}

/// A text of which no line looks like the first of another event.
fn indented(text: &str) -> String {
    harmless(text.trim_end()).replace('\n', &format!("\n{:MARGIN$}", ""))
}

const DIM: &str = "2";
const RED: &str = "31";
const GREEN: &str = "32";
const YELLOW: &str = "33";
const CYAN: &str = "36";

fn colour_of(status: &str) -> &'static str {
    match status.as_bytes().first() {
        Some(b'1' | b'3') => CYAN,
        Some(b'2') => GREEN,
        Some(b'4') => YELLOW,
        _ => RED,
    }
}

fn colour_of_level(level: Level) -> &'static str {
    match level {
        Level::ERROR => RED,
        Level::WARN => YELLOW,
        _ => DIM,
    }
}

/// Colours, where they are wanted.
#[derive(Clone, Copy)]
struct Paint {
    coloured: bool,
}

impl Paint {
    fn with(self, colour: &str, text: &str) -> String {
        if self.coloured { format!("\x1b[{colour}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use banyan_testkit::CapturedLog;
    use jiff::civil::time;
    use tracing::subscriber::with_default;
    use tracing_subscriber::{fmt::layer, layer::SubscriberExt, registry};

    use super::*;

    const AT: Time = time(9, 5, 7, 0);
    const PLAIN: Paint = Paint { coloured: false };
    const COLOURED: Paint = Paint { coloured: true };

    fn told(level: Level, message: &str, fields: &[(&'static str, &str)]) -> LogEvent {
        let fields = fields.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        LogEvent { level, target: "banyan_server", message: message.to_owned(), fields }
    }

    fn answered(path: &str, status: &str, duration_ms: &str) -> LogEvent {
        let fields = [
            ("request.id", "0b9e"),
            ("request.method", "GET"),
            ("request.path", path),
            ("response.status", status),
            ("duration_ms", duration_ms),
        ];
        told(Level::INFO, "request answered", &fields)
    }

    #[test]
    fn a_request_is_one_line_of_time_method_path_status_and_duration() {
        let shown = |path, status, ms| line(AT, &answered(path, status, ms), PLAIN);
        let notes = shown("/rest/v1/notes", "200", "0.7238770000000001");
        assert_eq!(notes, format!("09:05:07 GET     {:<44} 200   0.7 ms\n", "/rest/v1/notes"));
        for (ms, text) in
            [("9.96", " 10 ms"), ("412.4", "412 ms"), ("999.6", " 1.0 s"), ("150000", "150.0 s")]
        {
            assert!(shown("/", "503", ms).ends_with(&format!(" {text}\n")), "{ms}");
        }
    }

    // rows: GW-LOG
    #[test]
    fn the_line_of_a_request_is_at_most_a_hundred_columns_wide() {
        let long = format!("/functions/v1/{}", "अ".repeat(5000));
        let shown = line(AT, &answered(&long, "404", "149999.9"), PLAIN);
        assert_eq!(shown.trim_end().width(), WIDTH, "{shown}");
        assert!(shown.contains("अ… 404 "), "{shown}");
        let wide = line(AT, &answered(&format!("/{}", "界".repeat(60)), "404", "149999.9"), PLAIN);
        assert_eq!(wide.trim_end().width(), WIDTH, "two columns each: {wide}");
        let short = line(AT, &answered("/界", "404", "1"), PLAIN);
        assert_eq!(short.split(" 404 ").next().unwrap().width(), MARGIN + PATH, "{short}");
        let mut mistyped = answered(&long, "501", "149999.9");
        mistyped.fields[1].1 = "M".repeat(512);
        let shown = line(AT, &mistyped, PLAIN);
        assert_eq!(shown.trim_end().width(), WIDTH, "{shown}");
        assert!(shown.contains(" MMMMMM… /functions/"), "{shown}");
    }

    #[test]
    fn the_line_of_a_request_shows_no_query() {
        let path = "/auth/v1/verify?token=s3cret&apikey=s3cret#code=s3cret";
        let shown = line(AT, &answered(path, "303", "1"), COLOURED);
        assert!(shown.contains("/auth/v1/verify ") && !shown.contains("s3cret"), "{shown}");
    }

    #[test]
    fn a_status_has_its_colour_and_without_colours_there_is_no_escape() {
        for (status, colour) in [("200", "32"), ("304", "36"), ("404", "33"), ("500", "31")] {
            let shown = line(AT, &answered("/", status, "1"), COLOURED);
            assert!(shown.contains(&format!("\x1b[{colour}m{status}\x1b[0m")), "{shown:?}");
        }
        let failed = told(Level::ERROR, "failed", &[("error", "no")]);
        assert!(line(AT, &failed, COLOURED).contains("\x1b[31mERROR  \x1b[0m failed"));
        for told in [failed, answered("/", "500", "1")] {
            assert!(!line(AT, &told, PLAIN).contains('\x1b'));
        }
    }

    #[test]
    fn a_warning_has_its_fields_beside_it_or_on_the_next_line() {
        let short = told(Level::WARN, "the lease was lost", &[("work", "mail"), ("error", "no more")]);
        let shown = line(AT, &short, PLAIN);
        assert_eq!(shown, "09:05:07 WARN    the lease was lost  work=mail error=\"no more\"\n");
        let long = "e".repeat(80);
        let shown = line(AT, &told(Level::ERROR, "a hook failed", &[("error", &long)]), PLAIN);
        assert_eq!(shown, format!("09:05:07 ERROR   a hook failed\n                 error={long}\n"));
        let detail = line(AT, &told(Level::DEBUG, "seen", &[]), PLAIN);
        assert_eq!(detail, "09:05:07 DEBUG   banyan_server: seen\n");
    }

    #[test]
    fn the_id_of_a_request_stands_in_warnings_alone() {
        let id = [("request.id", "0b9e")];
        assert!(line(AT, &told(Level::WARN, "slow", &id), PLAIN).contains("request.id=0b9e"));
        assert_eq!(line(AT, &told(Level::INFO, "hello", &id), PLAIN), "09:05:07 INFO    hello\n");
    }

    #[test]
    fn no_text_from_elsewhere_forges_a_line_or_moves_the_cursor() {
        let forged = "one\n09:05:07 ERROR   forged\x1b[2J";
        let shown = line(AT, &told(Level::INFO, forged, &[("error", forged)]), PLAIN);
        let begins = |line: &&str| line.starts_with("09:05:07");
        assert_eq!(shown.lines().filter(begins).count(), 1, "{shown}");
        assert!(!shown.contains('\x1b') && shown.contains("forged\\u{1b}[2J"), "{shown}");
        assert_eq!(line(AT, &answered("/\n/\x1b", "200", "1"), PLAIN).lines().count(), 1);
    }

    #[test]
    fn events_are_shown_with_values_of_every_kind() {
        let written = CapturedLog::default();
        let lines = TerminalLines::new(Clock::system(), false);
        let subscriber = registry().with(layer().with_writer(written.clone()).event_format(lines));
        with_default(subscriber, || {
            tracing::info!(
                request.method = "GET",
                request.path = "/x",
                response.status = 200u16,
                duration_ms = 3.04,
                "request answered"
            );
            tracing::warn!(yes = true, none = None::<u64>, small = 7u8, text = %"a b", "all {}", "kinds");
        });
        let text = written.text();
        let shown: Vec<&str> = text.lines().map(|line| &line[9..]).collect();
        assert_eq!(shown[0], format!("GET     {:<44} 200   3.0 ms", "/x"));
        assert_eq!(shown[1..], ["WARN    all kinds  yes=true small=7 text=\"a b\""]);
    }
}
