//! Calls to the project's own REST API: rows of tables and views, and SQL functions.
//!
//! A query is PostgREST's, name by name:
//! `&[("select", "id,title"), ("grade", "eq.5"), ("order", "title")]`. After `eq.` and its like a
//! value ends with its parameter. Inside `in.(…)`, `or` and `and` a stranger's text goes through
//! [`quoted`].

use std::time::Duration;

use http::{HeaderMap, HeaderValue, Method, Request};
use serde_json::Value;

use crate::env::Env;
pub use crate::project::ApiError as RestError;
use crate::project::{Access, Allowance, encoded, segment, send_for_json};
use crate::transport::Transport;

/// One call; the answer may be a whole document, with room to spare.
const CALL: Allowance =
    Allowance { time: Duration::from_secs(10), answer: 8 * 1024 * 1024, status_in_body: false };

const JSON: &str = "application/json";

/// Longest query in bytes. A longer one needs another kind of filter, or an SQL function.
const LONGEST_QUERY: usize = 32 * 1024;

/// Parts of a query that shape what comes back and choose no rows.
const NO_CONDITIONS: [&str; 6] = ["select", "order", "limit", "offset", "columns", "on_conflict"];

/// The project's REST API.
#[derive(Debug)]
pub struct RestClient<'a, T> {
    transport: &'a T,
    access: Access,
}

impl<'a, T: Transport> RestClient<'a, T> {
    /// A client with the right of `service_role`; address and key come from the environment.
    ///
    /// # Errors
    /// [`RestError::NotConfigured`] when one of them is missing.
    pub fn from_env(transport: &'a T, env: &Env) -> Result<Self, RestError> {
        Ok(Self { transport, access: Access::service(env)? })
    }

    /// A client with the caller's token: row-level security holds as for the caller.
    ///
    /// # Errors
    /// [`RestError::NotConfigured`] when address or key is missing.
    pub fn as_caller(transport: &'a T, env: &Env, headers: &HeaderMap) -> Result<Self, RestError> {
        Ok(Self { transport, access: Access::caller(env, headers)? })
    }

    /// Rows of a table or view, as an array.
    ///
    /// # Errors
    /// See [`RestError`].
    pub async fn select(&self, table: &str, query: &[(&str, &str)]) -> Result<Value, RestError> {
        let request = self.access.request(Method::GET, &of_rows(table, query)?).header("accept", JSON);
        let request = request.body(Vec::new()).map_err(|_| RestError::NotConfigured)?;
        send_for_json(self.transport, request, CALL).await
    }

    /// Adds rows: an object, or an array of them; one whose key is there already is refused. With
    /// `select` in the query the rows come back as they are stored, which asks for the right to
    /// read them; without, `null`.
    ///
    /// # Errors
    /// See [`RestError`].
    pub async fn insert(
        &self,
        table: &str,
        query: &[(&str, &str)],
        rows: &Value,
    ) -> Result<Value, RestError> {
        let request = self.access.json(Method::POST, &of_rows(table, query)?, rows)?;
        self.change(request, query).await
    }

    /// Changes the rows that the query finds. The result is as of [`Self::insert`].
    ///
    /// # Errors
    /// See [`RestError`]; `Argument` where the query has no condition, since every row would be
    /// changed.
    pub async fn update(
        &self,
        table: &str,
        query: &[(&str, &str)],
        changes: &Value,
    ) -> Result<Value, RestError> {
        some_rows(query)?;
        let request = self.access.json(Method::PATCH, &of_rows(table, query)?, changes)?;
        self.change(request, query).await
    }

    /// Deletes the rows that the query finds. The result is as of [`Self::insert`].
    ///
    /// # Errors
    /// See [`RestError`]; `Argument` where the query has no condition, since every row would go.
    pub async fn delete(&self, table: &str, query: &[(&str, &str)]) -> Result<Value, RestError> {
        some_rows(query)?;
        let request = self.access.request(Method::DELETE, &of_rows(table, query)?).header("accept", JSON);
        let request = request.body(Vec::new()).map_err(|_| RestError::NotConfigured)?;
        self.change(request, query).await
    }

    /// Calls the SQL function `name`, which never leads to another path, with named `arguments`.
    ///
    /// # Errors
    /// See [`RestError`].
    pub async fn rpc(&self, name: &str, arguments: &Value) -> Result<Value, RestError> {
        let name = segment(name).ok_or(RestError::Argument("function name"))?;
        let request = self.access.json(Method::POST, &format!("/rest/v1/rpc/{name}"), arguments)?;
        send_for_json(self.transport, request, CALL).await
    }

    async fn change(
        &self,
        mut request: Request<Vec<u8>>,
        query: &[(&str, &str)],
    ) -> Result<Value, RestError> {
        let asks_for_rows = query.iter().any(|(name, _)| *name == "select");
        let prefer = if asks_for_rows { "return=representation" } else { "return=minimal" };
        request.headers_mut().insert("prefer", HeaderValue::from_static(prefer));
        send_for_json(self.transport, request, CALL).await
    }
}

/// The path of a table's rows, which never leads to another table.
fn of_rows(table: &str, query: &[(&str, &str)]) -> Result<String, RestError> {
    let table = segment(table).ok_or(RestError::Argument("table"))?;
    let query: Vec<_> =
        query.iter().map(|(name, value)| format!("{}={}", encoded(name), encoded(value))).collect();
    let query = query.join("&");
    if query.len() > LONGEST_QUERY {
        return Err(RestError::Argument("query"));
    }
    let mark = if query.is_empty() { "" } else { "?" };
    Ok(format!("/rest/v1/{table}{mark}{query}"))
}

/// A text as one value of `in.(…)`, or within `or` and `and`, whatever signs it has.
#[must_use]
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Refuses a query without a condition: a value that was empty by mistake would change all there
/// is.
fn some_rows(query: &[(&str, &str)]) -> Result<(), RestError> {
    let found = query.iter().any(|(name, _)| is_condition(name));
    if found { Ok(()) } else { Err(RestError::Argument("condition")) }
}

/// Returns whether a part of a query chooses rows of the table itself. Filters of an embedded
/// relation (`chapters.grade`, `chapters.limit`) do not, since a change ignores them.
fn is_condition(name: &str) -> bool {
    matches!(name, "not.and" | "not.or") || (!name.contains('.') && !NO_CONDITIONS.contains(&name))
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use http::Response;
    use serde_json::json;

    use super::*;
    use crate::transport::{Chunks, TransportError};

    /// An API that answers every call the same, and keeps what it was sent.
    struct Api {
        status: u16,
        answer: &'static str,
        sent: RefCell<Vec<Request<Vec<u8>>>>,
    }

    struct Whole(Option<Vec<u8>>);

    impl Chunks for Whole {
        async fn next(&mut self) -> Option<Result<Vec<u8>, TransportError>> {
            self.0.take().map(Ok)
        }
    }

    impl Transport for Api {
        type Body = Whole;

        async fn send(&self, request: Request<Vec<u8>>) -> Result<Response<Whole>, TransportError> {
            self.sent.borrow_mut().push(request);
            let body = Whole(Some(self.answer.as_bytes().to_vec()));
            Ok(Response::builder().status(self.status).body(body).unwrap())
        }

        async fn sleep(&self, _: Duration) {
            std::future::pending::<()>().await;
        }

        fn now(&self) -> Duration {
            Duration::ZERO
        }

        fn jitter(&self) -> f64 {
            0.5
        }
    }

    fn api(status: u16, answer: &'static str) -> Api {
        Api { status, answer, sent: RefCell::default() }
    }

    fn env() -> Env {
        Env::from([("SUPABASE_URL", "http://stack.local/"), ("SUPABASE_SERVICE_ROLE_KEY", "key")])
    }

    #[tokio::test]
    async fn rows_are_read_by_a_query_whose_values_lead_nowhere_else() {
        let api = api(200, r#"[{"id":1}]"#);
        let rest = RestClient::from_env(&api, &env()).unwrap();
        let rows = rest.select("lessons", &[("select", "id"), ("title", "eq.a&b=c/पाठ")]).await.unwrap();
        assert_eq!(rows, json!([{"id": 1}]));
        rest.select("a/../rpc/x", &[]).await.unwrap();
        assert!(matches!(rest.select("..", &[]).await, Err(RestError::Argument("table"))));
        let sent = api.sent.borrow();
        assert_eq!(
            sent[0].uri(),
            "http://stack.local/rest/v1/lessons?select=id&title=eq.a%26b%3Dc%2F%E0%A4%AA%E0%A4%BE%E0%A4%A0"
        );
        assert_eq!(sent[0].method(), Method::GET);
        assert_eq!(sent[0].headers()["authorization"], "Bearer key");
        assert_eq!(sent[1].uri(), "http://stack.local/rest/v1/a%2F..%2Frpc%2Fx");
    }

    #[tokio::test]
    async fn rows_come_back_from_a_change_where_the_query_selects_them() {
        let api = api(201, "");
        let rest = RestClient::from_env(&api, &env()).unwrap();
        let (row, seven) = (json!({"title": "x"}), ("id", "eq.7"));
        assert_eq!(rest.insert("lessons", &[], &row).await.unwrap(), Value::Null);
        rest.insert("lessons", &[("select", "id")], &row).await.unwrap();
        rest.update("lessons", &[seven], &row).await.unwrap();
        rest.delete("lessons", &[seven, ("select", "*")]).await.unwrap();
        let told: Vec<_> = api.sent.borrow().iter().map(shown).collect();
        assert_eq!(
            told,
            [
                r#"POST /rest/v1/lessons return=minimal {"title":"x"}"#,
                r#"POST /rest/v1/lessons?select=id return=representation {"title":"x"}"#,
                r#"PATCH /rest/v1/lessons?id=eq.7 return=minimal {"title":"x"}"#,
                "DELETE /rest/v1/lessons?id=eq.7&select=%2A return=representation ",
            ]
        );
    }

    #[test]
    fn a_quoted_text_stays_one_value() {
        assert_eq!(quoted("Asha"), r#""Asha""#);
        assert_eq!(quoted(r#"x"),id.not.is.null,(a\"#), r#""x\"),id.not.is.null,(a\\""#);
    }

    fn shown(request: &Request<Vec<u8>>) -> String {
        let address = request.uri().path_and_query().unwrap();
        let prefer = request.headers()["prefer"].to_str().unwrap();
        format!("{} {address} {prefer} {}", request.method(), String::from_utf8_lossy(request.body()))
    }

    #[tokio::test]
    async fn a_change_of_all_rows_is_not_sent_and_a_refusal_keeps_its_code() {
        let api = api(403, r#"{"code":"42501"}"#);
        let rest = RestClient::from_env(&api, &env()).unwrap();
        let none = [
            &[][..],
            &[("select", "id"), ("order", "id"), ("limit", "1")],
            &[("chapters.limit", "1")],
            &[("select", "id,chapters(id)"), ("chapters.grade", "eq.5"), ("chapters.or", "(id.eq.1)")],
        ];
        for query in none {
            let refused = rest.update("lessons", query, &json!({})).await;
            assert!(matches!(refused, Err(RestError::Argument("condition"))), "{refused:?}");
            assert!(matches!(rest.delete("lessons", query).await, Err(RestError::Argument("condition"))));
        }
        let long = "x".repeat(LONGEST_QUERY);
        assert!(matches!(rest.select("lessons", &[("id", &long)]).await, Err(RestError::Argument("query"))));
        assert!(api.sent.borrow().is_empty());
        for condition in ["id", "or", "not.or"] {
            assert!(!matches!(
                rest.delete("lessons", &[(condition, "x")]).await,
                Err(RestError::Argument(_))
            ));
        }
        let refused = rest.insert("lessons", &[], &json!({})).await.unwrap_err();
        assert_eq!(refused.to_string(), "the project answered 403 Forbidden 42501");
    }
}
