//! Who may call a function, and what the function learns of its caller (CONTRACT.md J01 to J09).

/// Who may call a function.
pub(crate) mod access;

/// The headers that tell a function who calls.
pub(crate) mod caller_header;
