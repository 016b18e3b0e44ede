//! The client of management commands: calls the admin address of a running stack with the access
//! token (edge/CONTRACT.md G09).

use anyhow::{Context, bail};
use banyan_web::tls_client::{self, Client, Versions};
use bytes::Bytes;
use http::{Method, Request, Response, StatusCode, Uri, header};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{
    arguments::{Global, Target},
    output, project, running_stack,
};

/// Stands for the project in an address: a stack has one, whatever it is called there.
const ANY: &str = "default";

/// Says where to find an access token.
const TOKEN: &str = "what the file `access-token` in that server's data folder holds";

/// Says which address `--url` needs.
const ADMIN: &str =
    "`--url` is the admin address, BANYAN_ADMIN_URL of `banyan status`, and not that of the API";

/// A project, as the stack describes it.
#[derive(Deserialize)]
struct Project {
    name: String,
}

/// Longest that a stack is waited for to be there at all. What it is asked for may take long, as
/// compiling does.
const CONNECT: std::time::Duration = std::time::Duration::from_secs(10);

/// A running stack.
pub(crate) struct Management {
    client: Client<Full<Bytes>>,
    origin: String,
    token: String,
    /// Its name, if it was given.
    project: Option<String>,
}

impl Management {
    /// The stack that is meant: at `--url`, or this project's own, which must run.
    pub(crate) fn of(global: &Global, target: &Target) -> anyhow::Result<Self> {
        let (origin, token, project) = match &target.url {
            Some(url) => {
                let token = target.access_token.clone();
                let token = token
                    .context(format!("--url needs --access-token, or SUPABASE_ACCESS_TOKEN: {TOKEN}"))?;
                (safe(url)?, token, None)
            }
            None => {
                let config = project::load_beside_running(global)?;
                let record = running_stack::require(&config.paths.state)?;
                let path = config.paths.access_token();
                let token = std::fs::read_to_string(&path)
                    .with_context(|| format!("cannot read {}", path.display()))?;
                (record.admin_url, token.trim().to_owned(), Some(config.project_id))
            }
        };
        let project = target.project_ref.clone().or(project);
        let mut dialer = tls_client::dialer();
        dialer.set_connect_timeout(Some(CONNECT));
        let client = tls_client::pool().build(tls_client::connector(dialer, Versions::Http1));
        Ok(Self { client, origin: origin.trim_end_matches('/').to_owned(), token, project })
    }

    /// Returns the name of the project for messages. If it was not given, the stack is asked.
    pub(crate) async fn project(&self) -> String {
        let shown = |project: Project| output::harmless(&project.name).into_owned();
        match &self.project {
            Some(project) => project.clone(),
            None => self.get("").await.map_or_else(|_| ANY.to_owned(), shown),
        }
    }

    /// Reads `path` below the project.
    pub(crate) async fn get<T: DeserializeOwned>(&self, path: &str) -> anyhow::Result<T> {
        let body = self.send(Method::GET, path, None).await?;
        serde_json::from_slice(&body)
            .with_context(|| format!("{} answers as no stack does: {ADMIN}", self.origin))
    }

    /// Sends JSON and ignores the body of the answer.
    pub(crate) async fn change(
        &self,
        method: Method,
        path: &str,
        value: &impl Serialize,
    ) -> anyhow::Result<()> {
        let body = serde_json::to_vec(value)?;
        self.send(method, path, Some(("application/json", body.into()))).await.map(drop)
    }

    /// Sends a request with a body of a kind and reads the answer.
    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<(&str, Bytes)>,
    ) -> anyhow::Result<Bytes> {
        let response = self.open(method, path, body).await?;
        Ok(response.into_body().collect().await.context("the answer broke off")?.to_bytes())
    }

    /// The head of an answer, for one that goes on. A refusal is an error in the stack's own words.
    pub(crate) async fn open(
        &self,
        method: Method,
        path: &str,
        body: Option<(&str, Bytes)>,
    ) -> anyhow::Result<Response<Incoming>> {
        let uri = format!("{}/v1/projects/{}{path}", self.origin, self.project.as_deref().unwrap_or(ANY));
        let mut request = Request::builder()
            .method(method)
            .uri(&uri)
            .header(header::AUTHORIZATION, format!("Bearer {}", self.token));
        let (kind, body) = body.unzip();
        if let Some(kind) = kind {
            request = request.header(header::CONTENT_TYPE, kind);
        }
        let request = request.body(Full::new(body.unwrap_or_default()))?;
        let response = self.client.request(request).await.with_context(|| format!("cannot reach {uri}"))?;
        if response.status().is_success() {
            return Ok(response);
        }
        Err(refusal(response).await)
    }
}

async fn refusal(response: Response<Incoming>) -> anyhow::Error {
    let status = response.status();
    let body = response.into_body().collect().await.map(|body| body.to_bytes()).unwrap_or_default();
    let message = serde_json::from_slice::<Value>(&body)
        .ok()
        .and_then(|body| Some(body["message"].as_str()?.to_owned()));
    match (status, message) {
        (StatusCode::UNAUTHORIZED, _) => {
            anyhow::anyhow!("the stack refuses this access token: the right one is {TOKEN}")
        }
        (_, Some(message)) => anyhow::anyhow!("{}", output::harmless(&message)),
        (StatusCode::NOT_FOUND, None) => anyhow::anyhow!("the stack answered {status}: {ADMIN}"),
        (status, None) => anyhow::anyhow!("the stack answered {status}"),
    }
}

/// An address that the token may be sent to: by TLS, or on this machine.
fn safe(url: &str) -> anyhow::Result<String> {
    let uri: Uri = url.parse().with_context(|| format!("`{url}` is no address"))?;
    let host = uri.host().unwrap_or_default();
    let is_here = matches!(host, "localhost" | "127.0.0.1" | "[::1]");
    match uri.scheme_str() {
        Some("https") => Ok(url.to_owned()),
        Some("http") if is_here => Ok(url.to_owned()),
        _ => bail!("`{url}` must begin with https://: the access token may not travel in the clear"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: edge/G06
    #[test]
    fn the_token_travels_by_tls_or_on_this_machine_alone() {
        for good in
            ["https://stack.example", "http://127.0.0.1:54328", "http://localhost:1", "http://[::1]:1"]
        {
            assert!(safe(good).is_ok(), "{good}");
        }
        for bad in
            ["http://stack.example", "stack.example", "http://127.0.0.1.evil.example", "ftp://localhost"]
        {
            assert!(safe(bad).is_err(), "{bad}");
        }
    }
}
