//! The examples of AWS, and bodies that were changed or cut.

use futures_util::TryStreamExt;

use super::*;
use crate::s3::signature::{Place, Scope};

const SECRET: &str = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
const SIZE: u64 = 66_560;

/// A body of 65 KiB of `a` in chunks of 64 KiB, as AWS describes it.
struct Example {
    seed: &'static str,
    chunks: [&'static str; 3],
    trailer: Option<&'static str>,
}

const PLAIN: Example = Example {
    seed: "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9",
    chunks: [
        "ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648",
        "0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497",
        "b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9",
    ],
    trailer: None,
};

const WITH_TRAILER: Example = Example {
    seed: "106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e",
    chunks: [
        "b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2",
        "1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7",
        "2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992",
    ],
    trailer: Some(
        "x-amz-checksum-crc32c:sOO8/Q==\r\n\
         x-amz-trailer-signature:d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435\r\n",
    ),
};

impl Example {
    fn body(&self) -> String {
        let chunk = |size: usize, signature: &str| {
            let end = if size > 0 { "\r\n" } else { "" };
            format!("{size:x};chunk-signature={signature}\r\n{}{end}", "a".repeat(size))
        };
        let [first, second, last] = self.chunks;
        let trailer = self.trailer.unwrap_or_default();
        format!("{}{}{}{trailer}\r\n", chunk(65_536, first), chunk(1024, second), chunk(0, last))
    }

    fn seal(&self) -> Option<ChunkSeal> {
        let scope = Scope { day: "20130524".into(), region: "us-east-1".into() };
        let key = SigningKey::new(SECRET, &scope);
        let claim = Claim {
            place: Place::Header,
            access_key: "AKIAIOSFODNN7EXAMPLE".into(),
            scope,
            signed_headers: vec![],
            signature: self.seed.into(),
            date: "20130524T000000Z".into(),
            session_token: None,
            payload: String::new(),
        };
        ChunkSeal::of(&PayloadHash::SignedChunks { trailer: self.trailer.is_some() }, &claim, key)
    }

    /// What is read of a body that comes in pieces of so many bytes.
    async fn read(&self, body: &str, piece: usize) -> Result<usize, StorageError> {
        read(body, piece, SIZE, self.seal()).await
    }

    async fn code(&self, body: &str) -> &'static str {
        self.read(body, 1000).await.err().map_or("accepted", |error| error.wire().code)
    }
}

async fn read(body: &str, piece: usize, size: u64, seal: Option<ChunkSeal>) -> Result<usize, StorageError> {
    let pieces: Vec<Result<Bytes, BlobError>> =
        body.as_bytes().chunks(piece).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
    let decoder = Decoder::new(size, seal, Trailers::default());
    let bytes = decoded(Box::pin(stream::iter(pieces)), decoder);
    let read: Vec<Bytes> = bytes.try_collect().await?;
    Ok(read.iter().map(Bytes::len).sum())
}

// rows: X03
#[tokio::test]
async fn the_examples_of_aws_are_read_in_pieces_of_any_size() {
    for example in [PLAIN, WITH_TRAILER] {
        for piece in [1, 7, 65_536, 1 << 20] {
            let read = example.read(&example.body(), piece).await;
            assert_eq!(read.expect("signed chunks") as u64, SIZE, "{piece}");
        }
    }
}

// rows: X03
#[tokio::test]
async fn a_chunk_that_was_changed_is_not_signed() {
    let wrong = "SignatureDoesNotMatch";
    let body = PLAIN.body();
    assert_eq!(PLAIN.code(&body.replacen("aaaa", "aaab", 1)).await, wrong, "bytes");
    for signature in PLAIN.chunks {
        assert_eq!(PLAIN.code(&body.replace(signature, PLAIN.seed)).await, wrong, "a signature");
    }
    assert_eq!(PLAIN.code(&body.replace(";chunk-signature=", ";signature=")).await, wrong, "none");
    let swapped = Example { chunks: [PLAIN.chunks[1], PLAIN.chunks[0], PLAIN.chunks[2]], ..PLAIN };
    assert_eq!(PLAIN.code(&swapped.body()).await, wrong, "another order");
    assert_eq!(Example { seed: PLAIN.chunks[0], ..PLAIN }.code(&body).await, wrong, "another request");
}

// rows: X03
#[tokio::test]
async fn a_trailer_that_was_changed_is_not_signed() {
    let wrong = "SignatureDoesNotMatch";
    let body = WITH_TRAILER.body();
    assert_eq!(WITH_TRAILER.code(&body.replace("sOO8", "sOO9")).await, wrong);
    let unsigned = body.split("x-amz-trailer-signature").next().unwrap();
    assert_eq!(WITH_TRAILER.code(&format!("{unsigned}\r\n")).await, wrong, "without its signature");
    let more = format!("{}x-amz-meta-a:1\r\n\r\n", body.strip_suffix("\r\n").unwrap());
    assert_eq!(WITH_TRAILER.code(&more).await, "InvalidRequest", "more after the signature");
}

// rows: X03
#[tokio::test]
async fn a_body_that_is_cut_or_longer_is_refused() {
    let body = PLAIN.body();
    for length in [0, 10, 90, 30_000, 65_700, body.len() - 20] {
        let code = PLAIN.code(&body[..length]).await;
        assert!(["IncompleteBody", "SignatureDoesNotMatch"].contains(&code), "{length}: {code}");
    }
    assert_eq!(PLAIN.code(&format!("{body}more")).await, "InvalidRequest");
    for (size, read_size) in [(4, Ok(4)), (5, Err("IncompleteBody")), (3, Err("IncompleteBody"))] {
        let read = read("4\r\nabcd\r\n0\r\n\r\n", 3, size, None).await;
        assert_eq!(read.map_err(|error| error.wire().code), read_size, "{size}");
    }
}

// rows: X03
#[tokio::test]
async fn chunks_that_cannot_be_read_are_refused() {
    let long = "a".repeat(2000);
    for body in
        ["x\r\n", "-1\r\n", "4\r\nabcdef\r\n", "fffffffffffffffff\r\n", "0\r\nno trailer\r\n\r\n", &long]
    {
        let code = read(body, 1000, 4, None).await.map_err(|error| error.wire().code);
        assert_eq!(code, Err("InvalidRequest"), "{body}");
    }
    let many = format!("4\r\nabcd\r\n0\r\n{}\r\n", "a:1\r\n".repeat(21));
    assert!(read(&many, 1000, 4, None).await.is_err(), "too many trailers");
}
