//! Two servers on one database and one folder of objects.

use reqwest::{Client, Method, RequestBuilder, Response};
use serde_json::Value;

use crate::{database_logins::superuser, project::Project};

/// What a client of TUS sends about `shared/plan.txt`.
const NAMES: &str = "bucketName c2hhcmVk,objectName cGxhbi50eHQ=";

/// One of the servers.
struct Node {
    _project: Project,
    url: String,
    key: String,
}

/// A running stack without storage, whose database others may use.
fn database() -> Project {
    let database = Project::new();
    let path = database.path().join("supabase/config.toml");
    let text = std::fs::read_to_string(&path).expect("read");
    let off = text.replace("[storage]\nenabled = true", "[storage]\nenabled = false");
    assert_ne!(off, text);
    std::fs::write(&path, off).expect("written");
    database.succeed(&["start"]);
    // The others make passwords of the superuser's, but for `postgres` only where it has none.
    database.succeed(&["db", "query", "alter role postgres password null"]);
    database
}

impl Node {
    fn start(database: &Project, folder: &std::path::Path) -> Self {
        let project = Project::new();
        let settings = format!("[storage]\nfolder = \"{}\"\n", folder.display());
        std::fs::write(project.path().join("supabase/banyan.toml"), settings).expect("written");
        let mut start = project.command(&["start"]);
        let started = start.env("BANYAN_DATABASE_URL", database.superuser_url()).output();
        let started = started.expect("the binary runs");
        assert!(started.status.success(), "{}", String::from_utf8_lossy(&started.stderr));
        let status = project.status();
        let value = |name: &str| status[name].as_str().expect(name).to_owned();
        Self { url: value("API_URL"), key: value("SERVICE_ROLE_KEY"), _project: project }
    }

    fn ask(&self, method: Method, path: &str) -> RequestBuilder {
        Client::new().request(method, format!("{}/storage/v1/{path}", self.url)).bearer_auth(&self.key)
    }

    async fn post(&self, path: &str, body: Value) {
        let request = self.ask(Method::POST, path).header("content-type", "application/json");
        let answer = request.body(body.to_string()).send().await.expect("an answer");
        assert_eq!(answer.status(), 200, "{path}: {:?}", answer.text().await);
    }

    async fn put(&self, name: &str, bytes: &'static str) {
        let request = self.ask(Method::PUT, &format!("object/shared/{name}")).body(bytes);
        assert_eq!(request.send().await.expect("an answer").status(), 200);
    }

    /// The bytes of a public object; none where it is not there.
    async fn read(&self, name: &str) -> Option<String> {
        let url = format!("{}/storage/v1/object/public/shared/{name}", self.url);
        let answer = reqwest::get(url).await.expect("an answer");
        let is_there = answer.status() == 200;
        let text = answer.text().await.expect("a whole body");
        is_there.then_some(text)
    }

    /// Reads until the database has told of a change; then it stays seen.
    async fn sees(&self, name: &str, expected: Option<&str>) {
        for _ in 0..1000 {
            if self.read(name).await.as_deref() == expected {
                assert_eq!(self.read(name).await.as_deref(), expected, "{name}");
                return;
            }
        }
        panic!("{name} never is {expected:?}");
    }

    /// A request about the upload that another node may have begun.
    async fn upload(&self, method: Method, path: &str, offset: &str, body: &'static str) -> Response {
        let request = Client::new().request(method, format!("{}{path}", self.url)).bearer_auth(&self.key);
        let request = request.header("tus-resumable", "1.0.0").header("upload-offset", offset);
        let request = request.header("content-type", "application/offset+octet-stream");
        request.body(body).send().await.expect("an answer")
    }
}

// rows: storage/K07 storage/K10 storage/T04 storage/T05
#[tokio::test]
async fn two_nodes_on_one_database_and_folder_are_one_service() {
    let database = database();
    let folder = database.path().join("shared");
    let one = Node::start(&database, &folder);
    let swept = last_sweep(&database).await;
    let other = Node::start(&database, &folder);
    one.post("bucket", serde_json::json!({"name": "shared", "public": true})).await;
    objects_are_fresh(&one, &other).await;
    an_upload_goes_on_elsewhere(&one, &other).await;
    assert_eq!(last_sweep(&database).await, swept, "one node sweeps for both");
}

/// When a node last began to compare bytes with rows, once one did.
async fn last_sweep(database: &Project) -> String {
    let taken = "select taken_at::text from _banyan.turns where work = 'sweep of storage'";
    let mut admin = superuser(database).await;
    loop {
        if let Some(at) = sqlx::query_scalar(taken).fetch_optional(&mut admin).await.expect("asked") {
            return at;
        }
    }
}

/// What both nodes keep in memory is dropped when one of them changes it.
async fn objects_are_fresh(one: &Node, other: &Node) {
    one.put("a", "first").await;
    for node in [one, other, one, other] {
        node.sees("a", Some("first")).await;
    }
    other.put("a", "second").await;
    other.sees("a", Some("second")).await;
    one.sees("a", Some("second")).await;
    let names = serde_json::json!({"bucketId": "shared", "sourceKey": "a", "destinationKey": "b"});
    one.post("object/move", names).await;
    other.sees("a", None).await;
    other.sees("b", Some("second")).await;
    let removed = other.ask(Method::DELETE, "object/shared/b").send().await.expect("an answer");
    assert_eq!(removed.status(), 200);
    one.sees("b", None).await;
}

/// A resumable upload is begun on one node, goes on at the other and ends at the first.
async fn an_upload_goes_on_elsewhere(one: &Node, other: &Node) {
    let begun = one.ask(Method::POST, "upload/resumable").header("tus-resumable", "1.0.0");
    let begun = begun.header("upload-length", "12").header("upload-metadata", NAMES);
    let begun = begun.send().await.expect("an answer");
    assert_eq!(begun.status(), 201);
    let location = begun.headers()["location"].to_str().expect("an address").to_owned();
    let path = location.strip_prefix(&one.url).expect("of this node");
    for (node, offset, bytes) in [(one, "0", "Mango"), (other, "5", ", rice"), (one, "11", "!")] {
        let there = node.upload(Method::HEAD, path, "0", "").await;
        assert_eq!(there.headers()["upload-offset"], offset);
        let sent = node.upload(Method::PATCH, path, offset, bytes).await;
        assert_eq!(sent.status(), 204, "{offset}");
    }
    other.sees("plan.txt", Some("Mango, rice!")).await;
}
