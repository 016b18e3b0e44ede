use banyan_db::Param;
use serde_json::Value;
use time::OffsetDateTime;
use uuid::Uuid;

/// A value that is written as it is shown: texts, numbers, addresses of the network.
pub(super) fn text(value: impl ToString) -> Param {
    Param::text(value.to_string())
}

pub(super) fn id(id: Uuid) -> Param {
    text(id)
}

pub(super) fn optional(value: Option<Param>) -> Param {
    value.unwrap_or_else(Param::null)
}

pub(super) fn bytes(bytes: &[u8]) -> Param {
    Param::text(format!("\\x{}", hex::encode(bytes)))
}

/// A time as the server reads it: to the microsecond, like every time that it keeps.
pub(super) fn moment(time: OffsetDateTime) -> Param {
    let (day, clock) = (time.date(), time.time());
    let (hour, minute, second, micro) = clock.as_hms_micro();
    Param::text(format!("{day} {hour:02}:{minute:02}:{second:02}.{micro:06}+00"))
}

/// An array of texts.
pub(super) fn list(texts: &[String]) -> Param {
    let quoted: Vec<String> =
        texts.iter().map(|text| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))).collect();
    Param::text(format!("{{{}}}", quoted.join(",")))
}

/// Id and payload of an entry of the audit log, where it is to be made.
pub(super) fn note(note: Option<(Uuid, Value)>) -> [Param; 2] {
    let (own, payload) = note.unzip();
    [optional(own.map(id)), optional(payload.map(text))]
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn values_are_written_as_the_server_reads_them() {
        let written = |param: Param| String::from_utf8(param.value.unwrap().to_vec()).unwrap();
        assert_eq!(written(bytes(&[0, 255])), r"\x00ff");
        assert_eq!(
            written(moment(datetime!(2026-01-31 23:59:59.000123 UTC))),
            "2026-01-31 23:59:59.000123+00"
        );
        let texts = [r#"a,"b"#.to_owned(), r"c\d".to_owned(), String::new()];
        assert_eq!(written(list(&texts)), r#"{"a,\"b","c\\d",""}"#);
    }
}
