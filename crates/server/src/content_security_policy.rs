//! The content security policy of a built app (CONTRACT.md GW-SITE-CSP).
//!
//! `'self'` would be the whole origin, and that of the app holds what users upload too. So scripts,
//! styles, fonts and workers are named by the paths of the build.

use http::{HeaderMap, HeaderValue, header::HOST};

/// The policy of one build.
#[derive(Debug)]
pub(crate) struct ContentSecurityPolicy {
    /// The paths of the build: a folder with its last `/`, or a file.
    paths: Vec<String>,
    /// Names by which the build is reached, beside the one that a request says. A proxy may have
    /// put its own there.
    names: Vec<String>,
    /// Origins that the pages may call, beside their own.
    connect: String,
}

impl ContentSecurityPolicy {
    /// The policy of a build with these files, reached at these origins.
    pub(crate) fn new<'a>(
        files: impl Iterator<Item = &'a String>,
        origins: &[String],
        connect: &[String],
    ) -> Self {
        let mut paths: Vec<_> = files.filter_map(|path| own_path(path)).collect();
        paths.sort();
        paths.dedup();
        let names = origins.iter().filter_map(|origin| Some(origin.split_once("://")?.1.to_owned()));
        Self { paths, names: names.filter(|name| is_name(name)).collect(), connect: connect.join(" ") }
    }

    /// The policy for the page that a request asks for.
    pub(crate) fn header(&self, request: &HeaderMap) -> Option<HeaderValue> {
        let build = self.build(request.get(HOST).and_then(|host| host.to_str().ok()));
        let connect = &self.connect;
        let policy = format!(
            "default-src 'none'; script-src {build}; worker-src {build}; style-src {build} 'unsafe-inline'; \
             font-src {build}; manifest-src {build}; img-src 'self' data: blob:; connect-src 'self' {connect}; \
             base-uri 'self'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"
        );
        HeaderValue::try_from(policy).ok()
    }

    /// The files of the build, under each name of it. An address of IPv6 cannot be named in a
    /// policy, so there it is the whole origin.
    fn build(&self, host: Option<&str>) -> String {
        let Some(host) = host.filter(|host| is_name(host)) else { return "'self'".to_owned() };
        let others = self.names.iter().map(String::as_str).filter(|name| *name != host);
        let names: Vec<_> = [host].into_iter().chain(others).collect();
        let of_name = |name: &&str| self.paths.iter().map(|path| format!("{name}{path}")).collect::<Vec<_>>();
        names.iter().flat_map(of_name).collect::<Vec<_>>().join(" ")
    }
}

/// The folder of the assets, or a file beside it that pages load.
fn own_path(path: &str) -> Option<String> {
    let is_loaded = [".js", ".webmanifest"].iter().any(|ending| path.ends_with(ending));
    match path.strip_prefix("/assets/") {
        Some(_) => Some("/assets/".to_owned()),
        None => is_loaded.then(|| path.to_owned()),
    }
}

/// A host and perhaps a port, in letters that end no part of a policy.
fn is_name(host: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-.:".contains(&byte);
    !host.is_empty() && host.bytes().all(is_letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(host: &'static str) -> String {
        let files = ["/assets/a-1.js", "/assets/b-2.css", "/sw.js", "/theme.js", "/index.html", "/icon.svg"];
        let files = files.map(str::to_owned);
        let policy = ContentSecurityPolicy::new(files.iter(), &["https://saathi.example".to_owned()], &[]);
        let request = [(HOST, HeaderValue::from_static(host))].into_iter().collect();
        policy.header(&request).expect("a header value").to_str().expect("text").to_owned()
    }

    // rows: GW-SITE-CSP
    #[test]
    fn scripts_come_from_the_build_and_not_from_all_of_its_origin() {
        let policy = policy("localhost:54321");
        let scripts = policy.split("; ").find(|rule| rule.starts_with("script-src ")).expect("a rule");
        assert_eq!(
            scripts,
            "script-src localhost:54321/assets/ localhost:54321/sw.js localhost:54321/theme.js \
             saathi.example/assets/ saathi.example/sw.js saathi.example/theme.js"
        );
        for rule in ["worker-src", "style-src", "font-src", "manifest-src", "default-src", "object-src"] {
            let rule = policy.split("; ").find(|found| found.starts_with(rule)).expect("a rule");
            assert!(!rule.contains("'self'"), "{rule}");
        }
    }

    // rows: GW-SITE-CSP
    #[test]
    fn no_host_adds_a_rule_to_the_policy() {
        for host in ["a.example;script-src", "*", "'unsafe-inline'", "[::1]:54321"] {
            assert!(policy(host).contains("script-src 'self';"), "{host}");
        }
        assert!(!policy("saathi.example").contains("saathi.example/assets/ saathi.example/assets/"));
    }
}
