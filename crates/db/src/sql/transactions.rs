//! Which statements of a file stand in a transaction, and which end one.

use super::{Kind, Piece, tokens};

/// Which statements stand in a transaction that the file itself begins.
pub(crate) fn in_transaction(pieces: &[Piece<'_>]) -> Vec<bool> {
    let mut is_open = false;
    let place = |piece: &Piece<'_>| {
        let stood = is_open;
        is_open = match piece.kind {
            Kind::Begins => true,
            Kind::Ends => false,
            _ => is_open,
        };
        stood
    };
    pieces.iter().map(place).collect()
}

/// Whether what is before a statement stays once it is done.
pub(crate) fn commits(piece: &Piece<'_>) -> bool {
    let first = tokens(piece.text).next().unwrap_or_default();
    piece.kind == Kind::Ends && !["rollback", "abort"].iter().any(|word| first.eq_ignore_ascii_case(word))
}
