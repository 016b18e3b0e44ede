//! `/admin/oauth/clients`: who may ask the OAuth server (CONTRACT.md H48, X2). The server itself is
//! not offered; its clients can be kept, so that a project that moves has them.

use std::sync::Arc;

use axum::{
    extract::{FromRequestParts, Path, State},
    response::{IntoResponse, Response},
};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use http::{StatusCode, request::Parts};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest, Sha256};
use time::OffsetDateTime;
use url::Url;
use uuid::Uuid;

use super::super::paging::{MAX_PER_PAGE, PER_PAGE, links, number};
use crate::{
    context::{RouterContext, ServiceContext},
    guards::bearer::Admin,
    store::oauth_clients::{self, Client},
    wire::{
        error::{AuthError, ClientError},
        request::{Json, Query, RequestContext},
    },
};

/// Most addresses of a client.
const MOST_ADDRESSES: usize = 10;
/// Longest name and longest address, in characters.
const LONGEST_NAME: usize = 1024;
const LONGEST_ADDRESS: usize = 2048;
const METHODS: [&str; 3] = ["none", "client_secret_basic", "client_secret_post"];

/// An admin, where clients are kept at all.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClientAdmin;

impl FromRequestParts<RouterContext> for ClientAdmin {
    type Rejection = AuthError;

    async fn from_request_parts(parts: &mut Parts, shared: &RouterContext) -> Result<Self, AuthError> {
        Admin::from_request_parts(parts, shared).await?;
        let service: Arc<ServiceContext> = axum::extract::FromRef::from_ref(shared);
        if service.settings.oauth_clients { Ok(Self) } else { Err(ClientError::ServerOff.into()) }
    }
}

/// Body of a registration or a change; what is absent stays as it is.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Input {
    redirect_uris: Option<Vec<String>>,
    client_type: Option<String>,
    token_endpoint_auth_method: Option<String>,
    grant_types: Option<Vec<String>>,
    client_name: Option<String>,
    client_uri: Option<String>,
    logo_uri: Option<String>,
}

/// The client object of answers.
#[derive(Debug, Serialize)]
pub(crate) struct ClientBody {
    client_id: Uuid,
    #[serde(skip_serializing_if = "Option::is_none")]
    client_secret: Option<String>,
    client_type: String,
    redirect_uris: Vec<String>,
    token_endpoint_auth_method: String,
    grant_types: Vec<String>,
    response_types: [&'static str; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    client_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    client_uri: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    logo_uri: Option<String>,
    registration_type: String,
    #[serde(with = "time::serde::rfc3339")]
    created_at: OffsetDateTime,
    #[serde(with = "time::serde::rfc3339")]
    updated_at: OffsetDateTime,
}

/// Parameters of the list.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Parameters {
    page: String,
    per_page: String,
}

/// `GET /admin/oauth/clients`, the newest first.
pub(crate) async fn list(
    State(service): State<Arc<ServiceContext>>,
    _: ClientAdmin,
    Query(parameters): Query<Parameters>,
) -> Result<Response, AuthError> {
    let page = number(&parameters.page, 1, i64::MAX / MAX_PER_PAGE)?;
    let per_page = number(&parameters.per_page, PER_PAGE, MAX_PER_PAGE)?;
    let total = oauth_clients::count(&service.pool).await?;
    let found = oauth_clients::page(&service.pool, per_page, (page - 1) * per_page).await?;
    let clients: Vec<_> = found.into_iter().map(|client| body(client, None)).collect();
    let headers = [
        ("x-total-count", total.to_string()),
        ("link", links("/admin/oauth/clients", page, per_page, total)),
    ];
    Ok((headers, axum::Json(json!({"clients": clients}))).into_response())
}

/// `POST /admin/oauth/clients`: 201, with the secret of a confidential client, which is told now
/// and never again.
pub(crate) async fn create(
    State(service): State<Arc<ServiceContext>>,
    _: ClientAdmin,
    context: RequestContext,
    Json(input): Json<Input>,
) -> Result<Response, AuthError> {
    if input.redirect_uris.as_ref().is_none_or(Vec::is_empty) {
        return Err(AuthError::validation("redirect_uris is required"));
    }
    let public = is_public(&input)?;
    let client = Client {
        id: service.new_id(),
        registration_type: "manual".to_owned(),
        client_type: if public { "public" } else { "confidential" }.to_owned(),
        token_endpoint_auth_method: if public { "none" } else { "client_secret_basic" }.to_owned(),
        redirect_uris: String::new(),
        grant_types: "authorization_code,refresh_token".to_owned(),
        client_name: None,
        client_uri: None,
        logo_uri: None,
        created_at: context.now,
        updated_at: context.now,
    };
    let client = changed(client, input)?;
    let secret = (!public).then(|| URL_SAFE_NO_PAD.encode(service.random::<32>()));
    oauth_clients::insert(&service.pool, &client, secret.as_deref().map(hash).as_deref()).await?;
    Ok((StatusCode::CREATED, axum::Json(body(client, secret))).into_response())
}

/// `GET /admin/oauth/clients/{id}`.
pub(crate) async fn get(
    State(service): State<Arc<ServiceContext>>,
    _: ClientAdmin,
    Path(id): Path<String>,
) -> Result<axum::Json<ClientBody>, AuthError> {
    Ok(axum::Json(body(find(&service, &id).await?, None)))
}

/// `PUT /admin/oauth/clients/{id}`.
pub(crate) async fn put(
    State(service): State<Arc<ServiceContext>>,
    _: ClientAdmin,
    context: RequestContext,
    Path(id): Path<String>,
    Json(input): Json<Input>,
) -> Result<axum::Json<ClientBody>, AuthError> {
    let client = find(&service, &id).await?;
    let Input {
        redirect_uris,
        grant_types,
        client_name,
        client_uri,
        logo_uri,
        token_endpoint_auth_method,
        ..
    } = &input;
    let texts = [client_name, client_uri, logo_uri, token_endpoint_auth_method];
    if redirect_uris.is_none() && grant_types.is_none() && texts.iter().all(|text| text.is_none()) {
        return Err(AuthError::validation("No fields provided for update"));
    }
    let mut client = changed(client, input)?;
    client.updated_at = context.now;
    if !oauth_clients::update(&service.pool, &client).await? {
        return Err(ClientError::NotFound.into());
    }
    Ok(axum::Json(body(client, None)))
}

/// `DELETE /admin/oauth/clients/{id}`: 204.
pub(crate) async fn delete(
    State(service): State<Arc<ServiceContext>>,
    _: ClientAdmin,
    context: RequestContext,
    Path(id): Path<String>,
) -> Result<StatusCode, AuthError> {
    let client = find(&service, &id).await?;
    if !oauth_clients::delete(&service.pool, client.id, context.now).await? {
        return Err(ClientError::NotFound.into());
    }
    Ok(StatusCode::NO_CONTENT)
}

/// `POST /admin/oauth/clients/{id}/regenerate_secret`: the old secret is void at once.
pub(crate) async fn regenerate_secret(
    State(service): State<Arc<ServiceContext>>,
    _: ClientAdmin,
    context: RequestContext,
    Path(id): Path<String>,
) -> Result<axum::Json<ClientBody>, AuthError> {
    let mut client = find(&service, &id).await?;
    if client.client_type == "public" {
        return Err(ClientError::Public.into());
    }
    let secret = URL_SAFE_NO_PAD.encode(service.random::<32>());
    if !oauth_clients::set_secret(&service.pool, client.id, &hash(&secret), context.now).await? {
        return Err(ClientError::NotFound.into());
    }
    client.updated_at = context.now;
    Ok(axum::Json(body(client, Some(secret))))
}

async fn find(service: &ServiceContext, id: &str) -> Result<Client, AuthError> {
    let id: Uuid = id.parse().map_err(|_| AuthError::validation("invalid client_id format"))?;
    Ok(oauth_clients::by_id(&service.pool, id).await?.ok_or(ClientError::NotFound)?)
}

/// What is stored of a secret: it is long and random, so that one round of hashing is enough.
fn hash(secret: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(secret))
}

fn is_public(input: &Input) -> Result<bool, AuthError> {
    let by_type = match input.client_type.as_deref().filter(|text| !text.is_empty()) {
        None => None,
        Some("public") => Some(true),
        Some("confidential") => Some(false),
        Some(_) => return Err(AuthError::validation("client_type must be 'public' or 'confidential'")),
    };
    let by_method = given(&input.token_endpoint_auth_method).map(|method| method == "none");
    Ok(by_type.or(by_method).unwrap_or(false))
}

fn given(text: &Option<String>) -> Option<&str> {
    text.as_deref().filter(|text| !text.is_empty())
}

/// The client with what the input says of it.
///
/// # Errors
/// 400 `validation_failed`.
fn changed(mut client: Client, input: Input) -> Result<Client, AuthError> {
    if let Some(addresses) = input.redirect_uris {
        client.redirect_uris = addresses_of(&addresses)?;
    }
    if let Some(types) = input.grant_types.filter(|types| !types.is_empty()) {
        if !types.iter().all(|name| matches!(name.as_str(), "authorization_code" | "refresh_token")) {
            let text = "grant_types must only contain 'authorization_code' and/or 'refresh_token'";
            return Err(AuthError::validation(text));
        }
        client.grant_types = types.join(",");
    }
    if let Some(method) = given(&input.token_endpoint_auth_method) {
        if !METHODS.contains(&method) || (method == "none") != (client.client_type == "public") {
            return Err(AuthError::validation(
                "token_endpoint_auth_method does not fit the type of the client",
            ));
        }
        client.token_endpoint_auth_method = method.to_owned();
    }
    if let Some(name) = input.client_name {
        if name.chars().count() > LONGEST_NAME {
            return Err(AuthError::validation("client_name cannot exceed 1024 characters"));
        }
        client.client_name = Some(name).filter(|name| !name.is_empty());
    }
    for (field, text, name) in [
        (&mut client.client_uri, input.client_uri, "client_uri"),
        (&mut client.logo_uri, input.logo_uri, "logo_uri"),
    ] {
        let Some(text) = text else { continue };
        if !text.is_empty() && (text.chars().count() > LONGEST_ADDRESS || Url::parse(&text).is_err()) {
            return Err(AuthError::validation(format!("{name} must be a valid URL")));
        }
        *field = Some(text).filter(|text| !text.is_empty());
    }
    Ok(client)
}

/// Checks and joins addresses that the server may send codes to.
fn addresses_of(addresses: &[String]) -> Result<String, AuthError> {
    if addresses.is_empty() {
        return Err(AuthError::validation("redirect_uris cannot be empty"));
    }
    if addresses.len() > MOST_ADDRESSES {
        return Err(AuthError::validation("redirect_uris cannot exceed 10 items"));
    }
    match addresses.iter().find(|address| !is_safe(address)) {
        None => Ok(addresses.join(",")),
        Some(bad) => {
            let shown: String = bad.chars().filter(char::is_ascii_graphic).take(100).collect();
            Err(AuthError::validation(format!("invalid redirect_uri '{shown}'")))
        }
    }
}

/// An absolute address without a fragment that runs nothing, and without TLS only on this machine.
/// A comma would part it in the table.
fn is_safe(address: &str) -> bool {
    let Ok(url) = Url::parse(address) else { return false };
    let local = matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
    let runs = ["javascript", "data", "file", "vbscript", "about", "blob"].contains(&url.scheme());
    url.has_host()
        && url.fragment().is_none()
        && !runs
        && !address.contains(',')
        && (url.scheme() != "http" || local)
}

fn body(client: Client, secret: Option<String>) -> ClientBody {
    let parts = |text: &str| text.split(',').filter(|part| !part.is_empty()).map(str::to_owned).collect();
    ClientBody {
        client_id: client.id,
        client_secret: secret,
        redirect_uris: parts(&client.redirect_uris),
        grant_types: parts(&client.grant_types),
        client_type: client.client_type,
        token_endpoint_auth_method: client.token_endpoint_auth_method,
        response_types: ["code"],
        client_name: client.client_name,
        client_uri: client.client_uri,
        logo_uri: client.logo_uri,
        registration_type: client.registration_type,
        created_at: client.created_at,
        updated_at: client.updated_at,
    }
}
