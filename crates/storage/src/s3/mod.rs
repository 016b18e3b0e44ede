//! Objects by the protocol of S3, at `/s3`.
