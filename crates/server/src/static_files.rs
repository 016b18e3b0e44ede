//! The files of a built app, from a folder or from the binary: held in memory, compressed at build
//! time, cached for ever where names carry a hash, and served with strict security headers.

use std::{
    collections::HashMap,
    io,
    path::{Path, PathBuf},
};

use banyan_web::{Body, full};
use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode,
    header::{
        ACCEPT_ENCODING, ALLOW, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
        IF_NONE_MATCH, REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
    },
};
use sha2::{Digest, Sha256};

use crate::content_security_policy::ContentSecurityPolicy;

/// Files of one build are a few megabytes; more is a wrong folder.
const LARGEST_FOLDER: u64 = 64 << 20;
/// The page that every unknown path gets; the client decides what it shows.
const SHELL: [&str; 2] = ["/app.html", "/index.html"];

/// Where the files of a build are.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Source<'a> {
    /// In a folder, which is read once.
    Folder(&'a Path),
    /// In the binary: the path of each below the root, such as `assets/main.js`, and its bytes.
    Embedded(&'static [(&'static str, &'static [u8])]),
}

/// What the owner of a build says of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Owner<'a> {
    /// The origins that its pages may call, beside their own.
    pub(crate) connect: &'a [String],
    /// The origins that it is known to be reached at.
    pub(crate) origins: &'a [String],
    /// The answer while there is no build.
    pub(crate) not_built: &'static str,
    /// The setting that names its folder.
    pub(crate) setting: &'static str,
}

/// The files of one build, by path.
#[derive(Debug)]
pub(crate) struct StaticFiles {
    pages: HashMap<String, Page>,
    not_built: &'static str,
    content_security_policy: ContentSecurityPolicy,
}

#[derive(Debug)]
struct Page {
    plain: Variant,
    brotli: Option<Variant>,
    gzip: Option<Variant>,
    content_type: &'static str,
    cache: &'static str,
}

/// One form of a page. A strong tag promises the same bytes, so each form has its own.
#[derive(Debug)]
struct Variant {
    bytes: Bytes,
    encoding: Option<&'static str>,
    etag: HeaderValue,
}

impl StaticFiles {
    /// Reads a build. Where it has no files, the answers say how to build them.
    ///
    /// # Errors
    /// The error of the file system, or that the folder is larger than 64 MiB.
    pub(crate) fn load(source: Source<'_>, owner: Owner<'_>) -> io::Result<Self> {
        let mut files = source.files(owner.setting)?;
        let names: Vec<String> = files.keys().filter(|name| !is_compressed(name)).cloned().collect();
        let content_security_policy = ContentSecurityPolicy::new(names.iter(), owner.origins, owner.connect);
        let pages = names.into_iter().map(|name| (name.clone(), page(&name, &mut files))).collect();
        Ok(Self { pages, not_built: owner.not_built, content_security_policy })
    }

    /// Answers a GET or HEAD for a page, a file, or (any path without an extension) the
    /// application's shell.
    pub(crate) fn answer<B>(&self, request: &Request<B>) -> Response<Body> {
        let reads = matches!(*request.method(), Method::GET | Method::HEAD);
        let mut response = match self.find(request.uri().path()) {
            _ if !reads => only_read(),
            Some(page) => page.answer(request.headers(), request.method() == Method::HEAD),
            None if self.pages.is_empty() => plain(StatusCode::NOT_FOUND, self.not_built),
            None => plain(StatusCode::NOT_FOUND, "There is no such file."),
        };
        self.protect(response.headers_mut(), request.headers());
        response
    }

    fn find(&self, path: &str) -> Option<&Page> {
        let name = path.trim_end_matches('/');
        let exact = match name {
            "" => self.pages.get("/index.html"),
            name => self.pages.get(name).or_else(|| self.pages.get(&format!("{name}.html"))),
        };
        let is_file = name.rsplit('/').next().is_some_and(|last| last.contains('.'));
        exact.or_else(|| if is_file { None } else { SHELL.iter().find_map(|shell| self.pages.get(*shell)) })
    }

    fn protect(&self, headers: &mut HeaderMap, request: &HeaderMap) {
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
        headers.insert(REFERRER_POLICY, HeaderValue::from_static("strict-origin-when-cross-origin"));
        headers.insert(
            HeaderName::from_static("permissions-policy"),
            HeaderValue::from_static("camera=(), microphone=(), geolocation=(), payment=()"),
        );
        headers.insert(
            HeaderName::from_static("cross-origin-opener-policy"),
            HeaderValue::from_static("same-origin-allow-popups"),
        );
        if let Some(policy) = self.content_security_policy.header(request) {
            headers.insert(CONTENT_SECURITY_POLICY, policy);
        }
    }
}

impl Page {
    fn answer(&self, request: &HeaderMap, head: bool) -> Response<Body> {
        let Variant { bytes, encoding, etag } = self.variant(request);
        let fresh = request
            .get_all(IF_NONE_MATCH)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .any(|tag| tag.trim().trim_start_matches("W/") == etag);
        let length = bytes.len();
        let mut response = Response::new(full(if head || fresh { Bytes::new() } else { bytes.clone() }));
        if fresh {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
        }
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.content_type));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static(self.cache));
        headers.insert(ETAG, etag.clone());
        headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
        if let Some(encoding) = *encoding {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static(encoding));
        }
        if head {
            headers.insert(http::header::CONTENT_LENGTH, HeaderValue::from(length));
        }
        response
    }

    fn variant(&self, request: &HeaderMap) -> &Variant {
        let accepts = |name: &str| {
            request
                .get_all(ACCEPT_ENCODING)
                .iter()
                .filter_map(|value| value.to_str().ok())
                .flat_map(|value| value.split(','))
                .map(|part| part.trim().split(';').map(str::trim))
                .any(|mut part| part.next() == Some(name) && part.next().is_none_or(|q| q != "q=0"))
        };
        match (&self.brotli, &self.gzip) {
            (Some(brotli), _) if accepts("br") => brotli,
            (_, Some(gzip)) if accepts("gzip") => gzip,
            _ => &self.plain,
        }
    }
}

fn page(name: &str, files: &mut HashMap<String, Bytes>) -> Page {
    Page {
        plain: variant(files.get(name).cloned().unwrap_or_default(), None),
        brotli: files.remove(&format!("{name}.br")).map(|bytes| variant(bytes, Some("br"))),
        gzip: files.remove(&format!("{name}.gz")).map(|bytes| variant(bytes, Some("gzip"))),
        content_type: content_type(name),
        cache: cache(name),
    }
}

fn variant(bytes: Bytes, encoding: Option<&'static str>) -> Variant {
    let tag = hex::encode(&Sha256::digest(&bytes)[..12]);
    let etag = HeaderValue::try_from(format!("\"{tag}\"")).expect("hex digits in quotes");
    Variant { bytes, encoding, etag }
}

fn is_compressed(name: &str) -> bool {
    name.ends_with(".br") || name.ends_with(".gz")
}

/// Built assets carry a hash in their name; everything else is asked for each time, and answered
/// with 304.
fn cache(name: &str) -> &'static str {
    if name.starts_with("/assets/") { "public, max-age=31536000, immutable" } else { "no-cache" }
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "webp" => "image/webp",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        "xml" => "application/xml",
        _ => "application/octet-stream",
    }
}

fn only_read() -> Response<Body> {
    let mut response = plain(StatusCode::METHOD_NOT_ALLOWED, "This address is a page: it answers GET.");
    response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
    response
}

fn plain(status: StatusCode, text: &'static str) -> Response<Body> {
    let mut response = Response::new(full(text));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}

impl Source<'_> {
    /// Each file by its path, with a leading `/`. `setting` names the folder.
    fn files(self, setting: &str) -> io::Result<HashMap<String, Bytes>> {
        match self {
            Self::Folder(folder) => {
                let (mut files, mut left) = (HashMap::new(), LARGEST_FOLDER);
                if read_folder(folder, folder, &mut files, &mut left)? {
                    return Ok(files);
                }
                let folder = folder.display();
                Err(io::Error::other(format!("{folder} holds more than 64 MiB: is {setting} right?")))
            }
            Self::Embedded(files) => {
                let named = |&(name, bytes)| (format!("/{name}"), Bytes::from_static(bytes));
                Ok(files.iter().map(named).collect())
            }
        }
    }
}

/// Whether all of a folder fits into the bytes that are left.
fn read_folder(
    root: &Path,
    folder: &Path,
    files: &mut HashMap<String, Bytes>,
    left: &mut u64,
) -> io::Result<bool> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let path: PathBuf = entry.path();
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        let metadata = std::fs::metadata(&path)?;
        if metadata.is_dir() {
            if !read_folder(root, &path, files, left)? {
                return Ok(false);
            }
            continue;
        }
        // Before it is read: it may be larger than the memory.
        let Some(rest) = left.checked_sub(metadata.len()) else { return Ok(false) };
        *left = rest;
        let bytes = std::fs::read(&path)?;
        let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        files.insert(format!("/{name}"), Bytes::from(bytes));
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUILD: &[(&str, &[u8])] = &[
        ("index.html", b"<p>landing</p>"),
        ("app.html", b"<p>shell</p>"),
        ("assets/main-1a2b.js", b"run()"),
        ("assets/main-1a2b.js.br", b"brotli"),
        ("assets/main-1a2b.js.gz", b"gzip"),
    ];

    fn owner(connect: &[String]) -> Owner<'_> {
        Owner { connect, origins: &[], not_built: "Build it.", setting: "server.site" }
    }

    fn load(source: Source<'_>) -> StaticFiles {
        StaticFiles::load(source, owner(&["http://a.example".into(), "ws://a.example".into()]))
            .expect("loaded")
    }

    /// The same build, read from a folder.
    fn in_folder() -> StaticFiles {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("assets")).expect("created");
        for (name, text) in BUILD.iter().copied().chain([(".built", b"a stamp".as_slice())]) {
            std::fs::write(folder.path().join(name), text).expect("written");
        }
        load(Source::Folder(folder.path()))
    }

    /// The answer of a build, which is the same from a folder and from the binary.
    fn answer(request: &Request<()>) -> Response<Body> {
        let [from_folder, from_binary] =
            [in_folder(), load(Source::Embedded(BUILD))].map(|files| files.answer(request));
        assert_eq!(from_folder.status(), from_binary.status());
        assert_eq!(from_folder.headers(), from_binary.headers(), "the tag is one of the bytes");
        from_binary
    }

    fn get(path: &str, headers: &[(&str, &str)]) -> Response<Body> {
        let mut request = Request::get(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        answer(&request.body(()).expect("a request"))
    }

    // rows: GW-SITE
    #[tokio::test]
    async fn without_files_the_answer_says_how_to_build_them() {
        let request = Request::get("/").body(()).expect("a request");
        let answer = load(Source::Embedded(&[])).answer(&request);
        assert_eq!(answer.status(), StatusCode::NOT_FOUND);
        assert_eq!(text(answer).await, "Build it.");
    }

    // rows: GW-SITE
    #[test]
    fn a_file_that_is_too_large_is_refused_unread() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = std::fs::File::create(folder.path().join("disk.img")).expect("created");
        file.set_len(1 << 40).expect("a file without blocks");
        let refused = StaticFiles::load(Source::Folder(folder.path()), owner(&[])).expect_err("too large");
        assert!(refused.to_string().ends_with("holds more than 64 MiB: is server.site right?"), "{refused}");
    }

    async fn text(response: Response<Body>) -> String {
        use http_body_util::BodyExt;
        let bytes = response.into_body().collect().await.expect("a body").to_bytes();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    // rows: GW-SITE app/S-052
    #[tokio::test]
    async fn a_deep_link_gets_the_shell_and_the_root_its_own_page() {
        assert_eq!(text(get("/", &[])).await, "<p>landing</p>");
        assert_eq!(text(get("/lesson-plan", &[])).await, "<p>shell</p>");
        assert_eq!(text(get("/blogs/7", &[])).await, "<p>shell</p>");
    }

    // rows: GW-SITE-CACHE
    #[tokio::test]
    async fn assets_are_compressed_and_cached_for_ever() {
        let response = get("/assets/main-1a2b.js", &[("accept-encoding", "gzip, br")]);
        assert_eq!(response.headers()[CACHE_CONTROL], "public, max-age=31536000, immutable");
        assert_eq!(response.headers()[CONTENT_ENCODING], "br");
        assert_eq!(text(response).await, "brotli");
        assert_eq!(text(get("/assets/main-1a2b.js", &[("accept-encoding", "br;q=0")])).await, "run()");
    }

    // rows: GW-SITE-CACHE
    #[test]
    fn pages_are_revalidated_by_their_tag() {
        let first = get("/", &[]);
        assert_eq!(first.headers()[CACHE_CONTROL], "no-cache");
        let tag = first.headers()[ETAG].to_str().expect("a tag").to_owned();
        assert_eq!(get("/", &[("if-none-match", &tag)]).status(), StatusCode::NOT_MODIFIED);
        assert_eq!(get("/", &[("if-none-match", "\"other\"")]).status(), StatusCode::OK);
    }

    // rows: GW-SITE-CACHE
    #[test]
    fn each_form_of_a_file_has_a_tag_of_its_own() {
        let path = "/assets/main-1a2b.js";
        let tag = |accepted: &str| get(path, &[("accept-encoding", accepted)]).headers()[ETAG].clone();
        let tags = [tag("br"), tag("gzip"), tag("identity")];
        assert!(tags[0] != tags[1] && tags[1] != tags[2] && tags[0] != tags[2], "{tags:?}");
        for (accepted, status) in [("br", StatusCode::NOT_MODIFIED), ("gzip", StatusCode::OK)] {
            let known = tags[0].to_str().expect("a tag");
            let again = get(path, &[("accept-encoding", accepted), ("if-none-match", known)]);
            assert_eq!(again.status(), status, "{accepted}");
        }
    }

    // rows: GW-SITE
    #[test]
    fn a_missing_file_is_not_found_and_never_leaves_the_folder() {
        for path in
            ["/assets/none.js", "/.built", "/../Cargo.toml", "/%2e%2e/Cargo.toml", "/assets/../../Cargo.toml"]
        {
            assert_eq!(get(path, &[]).status(), StatusCode::NOT_FOUND, "{path}");
        }
    }

    // rows: GW-SITE-CSP
    #[test]
    fn every_answer_carries_the_security_headers() {
        for path in ["/", "/home", "/assets/main-1a2b.js", "/assets/none.js"] {
            let response = get(path, &[("host", "a.example")]);
            let header = |name: &str| response.headers()[name].to_str().expect("text").to_owned();
            let policy = header("content-security-policy");
            let rules: Vec<&str> = policy.split("; ").collect();
            for rule in [
                "default-src 'none'",
                "script-src a.example/assets/",
                "connect-src 'self' http://a.example ws://a.example",
                "object-src 'none'",
                "base-uri 'self'",
                "form-action 'self'",
                "frame-ancestors 'none'",
            ] {
                assert!(rules.contains(&rule), "{path}: {rule} in {policy}");
            }
            assert_eq!(header("x-content-type-options"), "nosniff", "{path}");
            assert_eq!(header("x-frame-options"), "DENY", "{path}");
            assert_eq!(header("referrer-policy"), "strict-origin-when-cross-origin", "{path}");
            assert_eq!(header("cross-origin-opener-policy"), "same-origin-allow-popups", "{path}");
            assert!(header("permissions-policy").contains("camera=()"), "{path}");
        }
    }

    // rows: GW-SITE
    #[test]
    fn a_page_cannot_be_posted_to() {
        let response = answer(&Request::post("/").body(()).expect("a request"));
        assert_eq!(response.status(), StatusCode::METHOD_NOT_ALLOWED);
        assert_eq!(response.headers()[X_FRAME_OPTIONS], "DENY", "a form may lead into a frame");
        assert_eq!(response.headers()[X_CONTENT_TYPE_OPTIONS], "nosniff");
    }
}
