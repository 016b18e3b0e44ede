//! Resumable uploads by TUS 1.0.0, at `/upload/resumable`.
