use banyan_db::{Param, RunAs, Statement};
use banyan_testkit::{platform_database, user};
use uuid::Uuid;

#[tokio::test]
async fn a_statement_runs_as_its_caller() {
    let database = platform_database().await;
    let caller = user(Uuid::from_u128(5));
    let statement = Statement::new("select current_user, auth.uid(), $1::text", vec![Param::text("x'\"y")]);
    for _ in 0..3 {
        let rows = database.run_as(&RunAs::new(&caller, &statement)).await.expect("runs");
        assert_eq!(rows.text(0, 0), Some("authenticated"));
        assert_eq!(rows.text(0, 1), Some("00000000-0000-0000-0000-000000000005"));
        assert_eq!(rows.text(0, 2), Some("x'\"y"));
    }
}
