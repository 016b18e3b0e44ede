//! Messages of PostgreSQL's output plugin `pgoutput`, protocol version 1.
//!
//! A transaction arrives once it is committed: a begin, its changes, a commit. A relation is
//! described before its first change, and again after every change of its definition, its rights or
//! its policies. Values are text, cut out of the message without a copy.

use bytes::{Buf, Bytes, TryGetError};

/// One message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    /// A transaction begins.
    Begin(Begin),
    /// It is complete.
    Commit,
    /// What the changes that follow are of.
    Relation(Relation),
    /// A row was inserted.
    Insert {
        /// The id of the relation.
        relation: u32,
        /// The row.
        new: Row,
    },
    /// A row was updated.
    Update {
        /// The id of the relation.
        relation: u32,
        /// What the replica identity carries of the row before; none where the key is the same.
        old: Option<OldRow>,
        /// The row after.
        new: Row,
    },
    /// A row was deleted.
    Delete {
        /// The id of the relation.
        relation: u32,
        /// What the replica identity carries of it.
        old: OldRow,
    },
    /// Something that nobody is told of: a truncation, an origin, a type, a message of SQL.
    Other,
}

/// How a transaction begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Begin {
    /// When it was committed, in microseconds since 2000.
    pub committed_at: i64,
    /// Its id.
    pub xid: u32,
}

/// A table as it was when the changes were made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relation {
    /// The table's OID.
    pub id: u32,
    /// Its schema.
    pub schema: String,
    /// Its name.
    pub name: String,
    /// Its columns, in their order.
    pub columns: Vec<Column>,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// The OID of its type.
    pub type_oid: u32,
    /// Whether the replica identity carries it.
    pub is_identity: bool,
}

/// Values of the columns, in their order.
pub type Row = Vec<Value>;

/// What the replica identity carries of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OldRow {
    /// The columns of the identity; the others are null here, whatever they were.
    Key(Row),
    /// All columns: replica identity full.
    Full(Row),
}

/// A value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// SQL's null.
    Null,
    /// A large value that an update left alone: the log does not have it.
    Unchanged,
    /// In PostgreSQL's text format.
    Text(Bytes),
}

/// A message does not follow the protocol.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("a message of the log is malformed: {0}")]
pub struct Malformed(&'static str);

impl Malformed {
    /// A change of a relation that was not described.
    pub const UNKNOWN_RELATION: Self = Self("its relation is not known");
    /// A row that does not fit its relation.
    pub const WRONG_COLUMNS: Self = Self("its row has another number of columns");
}

impl From<TryGetError> for Malformed {
    fn from(_: TryGetError) -> Self {
        Self("it is too short")
    }
}

impl Message {
    /// Decodes a message.
    ///
    /// # Errors
    /// [`Malformed`]
    pub fn decode(mut bytes: Bytes) -> Result<Self, Malformed> {
        let bytes = &mut bytes;
        let message = match bytes.try_get_u8()? {
            b'B' => Self::Begin(begin(bytes)?),
            b'C' => return Ok(Self::Commit),
            b'R' => Self::Relation(relation(bytes)?),
            b'I' => Self::Insert { relation: bytes.try_get_u32()?, new: new_row(bytes)? },
            b'U' => {
                let relation = bytes.try_get_u32()?;
                let old = match bytes.first() {
                    Some(b'N') => None,
                    _ => Some(old_row(bytes)?),
                };
                Self::Update { relation, old, new: new_row(bytes)? }
            }
            b'D' => Self::Delete { relation: bytes.try_get_u32()?, old: old_row(bytes)? },
            b'T' | b'O' | b'Y' | b'M' => return Ok(Self::Other),
            _ => return Err(Malformed("its kind is not known")),
        };
        if bytes.is_empty() { Ok(message) } else { Err(Malformed("it is too long")) }
    }
}

fn begin(bytes: &mut Bytes) -> Result<Begin, Malformed> {
    let _end = bytes.try_get_u64()?;
    Ok(Begin { committed_at: bytes.try_get_i64()?, xid: bytes.try_get_u32()? })
}

fn relation(bytes: &mut Bytes) -> Result<Relation, Malformed> {
    let id = bytes.try_get_u32()?;
    let schema = text(bytes)?;
    // The empty name stands for `pg_catalog`.
    let schema = if schema.is_empty() { "pg_catalog".to_owned() } else { schema };
    let name = text(bytes)?;
    let _replica_identity = bytes.try_get_u8()?;
    let count = bytes.try_get_u16()?;
    let columns = (0..count).map(|_| column(bytes)).collect::<Result<_, _>>()?;
    Ok(Relation { id, schema, name, columns })
}

fn column(bytes: &mut Bytes) -> Result<Column, Malformed> {
    let is_identity = bytes.try_get_u8()? & 1 == 1;
    let name = text(bytes)?;
    let type_oid = bytes.try_get_u32()?;
    let _modifier = bytes.try_get_i32()?;
    Ok(Column { name, type_oid, is_identity })
}

fn new_row(bytes: &mut Bytes) -> Result<Row, Malformed> {
    match bytes.try_get_u8()? {
        b'N' => row(bytes),
        _ => Err(Malformed("a new row is missing")),
    }
}

fn old_row(bytes: &mut Bytes) -> Result<OldRow, Malformed> {
    match bytes.try_get_u8()? {
        b'K' => Ok(OldRow::Key(row(bytes)?)),
        b'O' => Ok(OldRow::Full(row(bytes)?)),
        _ => Err(Malformed("an old row is missing")),
    }
}

fn row(bytes: &mut Bytes) -> Result<Row, Malformed> {
    let count = bytes.try_get_u16()?;
    (0..count).map(|_| value(bytes)).collect()
}

fn value(bytes: &mut Bytes) -> Result<Value, Malformed> {
    match bytes.try_get_u8()? {
        b'n' => Ok(Value::Null),
        b'u' => Ok(Value::Unchanged),
        b't' => {
            let length = usize::try_from(bytes.try_get_u32()?).unwrap_or(usize::MAX);
            if length > bytes.len() {
                return Err(Malformed("a value is cut off"));
            }
            Ok(Value::Text(bytes.split_to(length)))
        }
        _ => Err(Malformed("the kind of a value is not known")),
    }
}

/// A text that ends with a NUL byte.
fn text(bytes: &mut Bytes) -> Result<String, Malformed> {
    let length = bytes.iter().position(|byte| *byte == 0).ok_or(Malformed("a name has no end"))?;
    let text = bytes.split_to(length);
    bytes.advance(1);
    String::from_utf8(text.into()).map_err(|_| Malformed("a name is no UTF-8"))
}

impl OldRow {
    /// Its values.
    #[must_use]
    pub fn row(&self) -> &Row {
        match self {
            Self::Key(row) | Self::Full(row) => row,
        }
    }
}

impl Value {
    /// Bytes of the value's text.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Null | Self::Unchanged => 0,
        }
    }

    /// Whether its text is empty, or there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(message: &[u8]) -> Result<Message, Malformed> {
        Message::decode(Bytes::copy_from_slice(message))
    }

    fn value(text: &'static str) -> Value {
        Value::Text(Bytes::from_static(text.as_bytes()))
    }

    #[test]
    fn a_transaction_says_when_it_was_committed_and_its_id() {
        let message = b"B\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\x02\0\0\0\x03";
        let begin = Begin { committed_at: 2, xid: 3 };
        assert_eq!(decode(message), Ok(Message::Begin(begin)));
    }

    #[test]
    fn a_relation_has_its_columns_in_order() {
        let message =
            b"R\0\0\0\x07\0pg_x\0d\0\x02\x01id\0\0\0\0\x17\xff\xff\xff\xff\0note\0\0\0\0\x19\0\0\0\0";
        let Ok(Message::Relation(relation)) = decode(message) else { panic!("a relation") };
        assert_eq!((relation.id, &*relation.schema, &*relation.name), (7, "pg_catalog", "pg_x"));
        let columns = relation.columns.iter().map(|it| (it.name.as_str(), it.type_oid, it.is_identity));
        assert!(columns.eq([("id", 23, true), ("note", 25, false)]));
    }

    #[test]
    fn an_update_may_carry_the_old_key_or_the_old_row() {
        let without = decode(b"U\0\0\0\x07N\0\x02t\0\0\0\x011u");
        let new = vec![value("1"), Value::Unchanged];
        assert_eq!(without, Ok(Message::Update { relation: 7, old: None, new: new.clone() }));
        let with = decode(b"U\0\0\0\x07O\0\x01nN\0\x02t\0\0\0\x011u");
        let old = Some(OldRow::Full(vec![Value::Null]));
        assert_eq!(with, Ok(Message::Update { relation: 7, old, new }));
        let deleted = decode(b"D\0\0\0\x07K\0\x01t\0\0\0\x02ab");
        assert_eq!(deleted, Ok(Message::Delete { relation: 7, old: OldRow::Key(vec![value("ab")]) }));
    }

    #[test]
    fn what_is_cut_off_or_too_long_is_refused() {
        let whole = b"U\0\0\0\x07O\0\x01nN\0\x02t\0\0\0\x011u";
        for length in 0..whole.len() {
            assert!(decode(&whole[..length]).is_err(), "{length} bytes");
        }
        assert!(decode(&[&whole[..], b"x"].concat()).is_err());
        assert!(decode(b"I\0\0\0\x07N\0\x01t\xff\xff\xff\xff").is_err());
    }
}
