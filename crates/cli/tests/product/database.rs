use std::ops::Deref;

use banyan_db::{Database, DatabaseSettings, Login};
use banyan_testkit::TestDatabase;
use sqlx::PgPool;

/// A database of one test's own with the platform and the product's schema, entered as the role
/// that owns the product.
pub(crate) struct ProductDatabase {
    pool: PgPool,
    _kept_until_the_test_ends: TestDatabase,
}

/// A database for a test that asks one thing after another.
pub(crate) async fn product_database() -> ProductDatabase {
    product_database_for(5).await
}

/// A database for a test that has that many connections open at once.
pub(crate) async fn product_database_for(connections: u32) -> ProductDatabase {
    let database = banyan_testkit::database().await;
    let settings = DatabaseSettings { service_pool_size: connections, ..database.settings().clone() };
    let owner = Database::connect(&settings).expect("the settings of the test server");
    ProductDatabase { pool: owner.pool(Login::Postgres).clone(), _kept_until_the_test_ends: database }
}

impl Deref for ProductDatabase {
    type Target = PgPool;

    fn deref(&self) -> &PgPool {
        &self.pool
    }
}
