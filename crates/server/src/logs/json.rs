//! Events as JSON lines: the format of `tracing_subscriber`, with the same keys and escapes, in
//! half of its time.

use std::fmt::{self, Debug, Write};

use banyan_identity::Clock;
use time::OffsetDateTime;
use tracing::{
    Event, Subscriber,
    field::{Field, Visit},
};
use tracing_subscriber::{
    fmt::{
        FmtContext, FormatEvent, FormatFields,
        format::{self, Format, Writer},
    },
    registry::LookupSpan,
};

/// Writes each event as one flat object: time, level, the event's fields, target.
pub(super) struct JsonLines {
    clock: Clock,
    /// For what happens in a span. Nothing of ours does, but some crates have spans at the finest
    /// levels.
    in_spans: Format<format::Json>,
}

impl JsonLines {
    pub(super) fn new(clock: Clock) -> Self {
        Self { clock, in_spans: format::format().json().flatten_event(true) }
    }
}

impl<S, N> FormatEvent<S, N> for JsonLines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut out: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        if event.parent().is_some() || context.lookup_current().is_some() {
            return self.in_spans.format_event(context, out, event);
        }
        let metadata = event.metadata();
        out.write_str("{\"timestamp\":\"")?;
        timestamp(&mut out, self.clock.now())?;
        out.write_str("\",\"level\":\"")?;
        out.write_str(metadata.level().as_str())?;
        out.write_char('"')?;
        let mut fields = Fields { out: &mut out, written: Ok(()) };
        event.record(&mut fields);
        fields.written?;
        out.write_str(",\"target\":")?;
        string(&mut out, metadata.target())?;
        out.write_str("}\n")
    }
}

/// To the microsecond, as `2026-02-03T04:05:06.123456Z`.
fn timestamp(out: &mut impl Write, now: OffsetDateTime) -> fmt::Result {
    let (year, month, day) = now.to_calendar_date();
    let (hour, minute, second, micro) = now.to_hms_micro();
    write!(out, "{year:04}-{:02}-{day:02}T", u8::from(month))?;
    write!(out, "{hour:02}:{minute:02}:{second:02}.{micro:06}Z")
}

/// Writes one field after another, up to the first that cannot be written.
struct Fields<'a, 'b> {
    out: &'a mut Writer<'b>,
    written: fmt::Result,
}

impl Fields<'_, '_> {
    fn write(&mut self, field: &Field, value: impl FnOnce(&mut Writer<'_>) -> fmt::Result) {
        let Self { out, written } = self;
        let mut all = || {
            out.write_char(',')?;
            string(out, field.name())?;
            out.write_char(':')
        };
        *written = written.and_then(|()| all()).and_then(|()| value(out));
    }
}

impl Visit for Fields<'_, '_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.write(field, |out| string(out, value));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.write(field, |out| write!(out, "{value}"));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.write(field, |out| write!(out, "{value}"));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.write(field, |out| write!(out, "{value}"));
    }

    /// What is no number for JSON is `null`.
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.write(field, |out| write!(out, "{}", serde_json::Value::from(value)));
    }

    /// Messages, errors and all else are strings.
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.write(field, |out| {
            out.write_char('"')?;
            write!(Escaped(out), "{value:?}")?;
            out.write_char('"')
        });
    }
}

fn string(out: &mut Writer<'_>, text: &str) -> fmt::Result {
    out.write_char('"')?;
    Escaped(out).write_str(text)?;
    out.write_char('"')
}

/// What is written stands within a JSON string.
struct Escaped<'a, 'b>(&'a mut Writer<'b>);

impl Write for Escaped<'_, '_> {
    fn write_str(&mut self, mut text: &str) -> fmt::Result {
        let must_be = |byte: u8| byte < b' ' || byte == b'"' || byte == b'\\';
        while let Some(at) = text.bytes().position(must_be) {
            self.0.write_str(&text[..at])?;
            match text.as_bytes()[at] {
                b'\n' => self.0.write_str("\\n"),
                b'\r' => self.0.write_str("\\r"),
                b'\t' => self.0.write_str("\\t"),
                b'\x08' => self.0.write_str("\\b"),
                b'\x0c' => self.0.write_str("\\f"),
                sign @ (b'"' | b'\\') => write!(self.0, "\\{}", char::from(sign)),
                control => write!(self.0, "\\u{control:04x}"),
            }?;
            text = &text[at + 1..];
        }
        self.0.write_str(text)
    }
}

#[cfg(test)]
mod tests {
    use std::{error::Error, io};

    use banyan_testkit::CapturedLog;
    use time::macros::datetime;
    use tracing::subscriber::with_default;
    use tracing_subscriber::{fmt::layer, layer::SubscriberExt, registry};

    use super::*;

    #[test]
    fn a_time_has_six_digits_of_its_second() {
        let mut text = String::new();
        timestamp(&mut text, datetime!(2026-02-03 04:05:06.007_008_999 UTC)).expect("written");
        assert_eq!(text, "2026-02-03T04:05:06.007008Z");
    }

    // rows: GW-LOG
    #[test]
    fn a_line_is_what_the_format_of_tracing_would_write() {
        let (own, theirs) = (CapturedLog::default(), CapturedLog::default());
        let lines = JsonLines::new(Clock::system());
        let with_own = layer().with_writer(own.clone()).json().event_format(lines);
        with_default(registry().with(with_own), all_kinds_of_events);
        let with_theirs = layer().with_writer(theirs.clone()).json().flatten_event(true);
        with_default(registry().with(with_theirs), all_kinds_of_events);
        let (own, theirs) = (without_times(&own.text()), without_times(&theirs.text()));
        assert_eq!(own, theirs);
        for line in &own {
            serde_json::from_str::<serde_json::Value>(line).expect("each line is JSON");
        }
        assert_eq!(own.len(), 18);
    }

    /// The lines, each without its time, which has the same length in all.
    fn without_times(text: &str) -> Vec<String> {
        let timeless = |line: &str| {
            let (before, rest) = line.split_at_checked("{\"timestamp\":\"".len()).expect("a line");
            assert_eq!(rest.find('"'), Some("2026-02-03T04:05:06.123456Z".len()), "{line}");
            format!("{before}{}", &rest["2026-02-03T04:05:06.123456Z".len()..])
        };
        text.lines().map(timeless).collect()
    }

    fn all_kinds_of_events() {
        let nasty = "\"quoted\" \\ \n\r\t\u{8}\u{c}\u{0}\u{1f}\u{7f}\u{2028} नमस्ते 😀 </script>";
        let error = io::Error::other(nasty);
        tracing::info!("plain");
        tracing::info!(nasty, "of \"all\" kinds: {nasty}");
        tracing::warn!(text = %nasty, debug = ?nasty, list = ?[nasty, ""], empty = "");
        tracing::error!(error = %error, whole = ?error, source = &error as &(dyn Error + 'static), "failed");
        tracing::error!(least = i64::MIN, most = u64::MAX, wide = u128::MAX, wider = i128::MIN, small = 7u8);
        tracing::debug!(yes = true, no = false, none = None::<u64>, some = Some(1.5), bytes = &b"\x00ab"[..]);
        for number in [0.0, -0.0, 0.1 + 0.2, 1e300, 5e-324, 12.0, f64::NAN, f64::INFINITY] {
            tracing::trace!(number, as_float = 0.1f32, "a number");
        }
        let outer = tracing::info_span!("outer", nasty);
        let _within = outer.enter();
        tracing::info!(nasty, "in a span");
        tracing::info_span!("inner", number = 1).in_scope(|| tracing::info!("in two"));
        tracing::info!(parent: None, "within, but apart");
        tracing::info!(target: "another \"target\"", "elsewhere");
    }
}
