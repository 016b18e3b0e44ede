//! A proxy between the pool and PostgreSQL counts how often the direction changes: that is what a
//! network makes costly.

use std::{
    borrow::Cow,
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use banyan_db::{Address, Database, DatabaseSettings, Isolation, Param, RunAs, Statement};
use banyan_identity::Caller;
use banyan_testkit::platform_database;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{UnixListener, UnixStream},
};

#[derive(Default)]
struct Counted {
    exchanges: AtomicUsize,
    asking: Mutex<bool>,
}

impl Counted {
    /// A byte went this way; an exchange begins when a question follows an answer.
    fn saw(&self, asking: bool) {
        let mut before = self.asking.lock().expect("not poisoned");
        if asking && !*before {
            self.exchanges.fetch_add(1, Ordering::SeqCst);
        }
        *before = asking;
    }

    fn take(&self) -> usize {
        self.exchanges.swap(0, Ordering::SeqCst)
    }
}

async fn pass(
    mut from: impl AsyncReadExt + Unpin,
    mut to: impl AsyncWriteExt + Unpin,
    counted: Arc<Counted>,
    asking: bool,
) {
    let mut buffer = vec![0; 64 << 10];
    while let Ok(read @ 1..) = from.read(&mut buffer).await {
        counted.saw(asking);
        if to.write_all(&buffer[..read]).await.is_err() {
            return;
        }
    }
}

fn proxy(listener: UnixListener, server: std::path::PathBuf) -> Arc<Counted> {
    let counted = Arc::new(Counted::default());
    let shared = Arc::clone(&counted);
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let server = UnixStream::connect(&server).await.expect("the server listens");
            let (client_in, client_out) = client.into_split();
            let (server_in, server_out) = server.into_split();
            tokio::spawn(pass(client_in, server_out, Arc::clone(&shared), true));
            tokio::spawn(pass(server_in, client_out, Arc::clone(&shared), false));
        }
    });
    counted
}

fn socket(address: &Address) -> std::path::PathBuf {
    match address {
        Address::Socket { folder, port } => folder.join(format!(".s.PGSQL.{port}")),
        Address::Tcp { .. } => panic!("the test server has a socket"),
    }
}

async fn behind_proxy(settings: &DatabaseSettings, folder: &Path) -> (Database, Arc<Counted>) {
    let address = Address::Socket { folder: folder.to_owned(), port: 1 };
    let listener = UnixListener::bind(socket(&address)).expect("a free path");
    let counted = proxy(listener, socket(&settings.address));
    let settings = DatabaseSettings { address, pool_size: 1, ..settings.clone() };
    let database = Database::connect(&settings).expect("valid settings");
    database.ping().await.expect("there");
    (database, counted)
}

// rows: PG-PIPELINE
#[tokio::test]
async fn a_request_costs_one_exchange_with_the_server() {
    let original = platform_database().await;
    let folder = tempfile::tempdir().expect("a folder");
    let (database, counted) = behind_proxy(original.settings(), folder.path()).await;
    let statement = Statement::new("select current_user, $1::text", vec![Param::text("x")]);
    let settings = [("request.method", Cow::from("GET")), ("statement_timeout", Cow::from("5s"))];
    let anonymous = Caller::anonymous();
    let plain = RunAs { settings: &settings, read_only: true, ..RunAs::new(&anonymous, &statement) };
    let explicit = RunAs { isolation: Some(Isolation::Serializable), rollback: true, ..plain };
    for (what, run) in [("first", plain), ("prepared", plain), ("explicit", explicit), ("again", explicit)] {
        counted.take();
        database.run_as(&run).await.expect("runs");
        assert_eq!(counted.take(), 1, "{what}");
    }
    let wrong = Statement::new("select 1/0", vec![]);
    counted.take();
    database.run_as(&RunAs { statement: &wrong, ..plain }).await.expect_err("division by zero");
    assert_eq!(counted.take(), 1, "an error");
}
