use crate::support::Stage;

// rows: rest/Z01 rest/Z02 rest/Z03 rest/Z06 server/GW-NOSNIFF
#[tokio::test]
async fn the_admin_listener_is_apart_and_says_whether_all_is_well() {
    let stage = Stage::new().await;
    let api = stage.serve("");
    assert_ne!(api.url, api.admin_url);
    for path in ["/live", "/ready"] {
        let reply = api.admin(path).await;
        assert_eq!((reply.status, reply.text.as_str()), (200, ""), "{path}");
    }
    for path in ["/", "/config", "/live/x", "/lessons"] {
        let reply = api.admin(path).await;
        assert_eq!((reply.status, reply.text.as_str()), (404, ""), "{path}");
    }
    for answer in [api.get("/lessons").await, api.admin("/metrics").await] {
        let nosniff = answer.header("x-content-type-options");
        assert_eq!((answer.status, nosniff), (200, "nosniff"), "server/CONTRACT.md GW-NOSNIFF");
    }
    assert_eq!(api.get("/live").await.refusal().1, "PGRST205", "the API knows none of these paths");
}

// rows: rest/Z04
#[tokio::test]
async fn metrics_have_their_names_and_count() {
    let stage = Stage::new().await;
    let api = stage.serve("db-pool = 1\ndb-pool-acquisition-timeout = 1");
    let reply = api.admin("/metrics").await;
    assert_eq!((reply.status, reply.header("content-type")), (200, "text/plain; charset=utf-8"));
    for name in [
        "pgrst_db_pool_timeouts_total",
        "pgrst_db_pool_available",
        "pgrst_db_pool_waiting",
        "pgrst_db_pool_max",
        "pgrst_schema_cache_loads_total{status=\"SUCCESS\"}",
        "pgrst_schema_cache_loads_total{status=\"FAIL\"}",
        "pgrst_schema_cache_query_time_seconds",
        "pgrst_jwt_cache_requests_total",
        "pgrst_jwt_cache_hits_total",
        "pgrst_jwt_cache_evictions_total",
    ] {
        assert!(
            reply.text.lines().any(|line| line.starts_with(&format!("{name} "))),
            "{name}: {}",
            reply.text
        );
    }
    assert_eq!(api.metric("pgrst_db_pool_max").await, 1.0);
    assert!(api.metric("pgrst_schema_cache_loads_total{status=\"SUCCESS\"}").await >= 1.0);
    let (client, url) = (reqwest::Client::new(), api.url.clone());
    let busy = tokio::spawn(async move { client.get(format!("{url}/rpc/nap?seconds=3")).send().await });
    tokio::time::sleep(std::time::Duration::from_millis(400)).await;
    let late = api.get("/lessons").await;
    assert_eq!((late.status, late.refusal().1.as_str()), (504, "PGRST003"), "rest/CONTRACT.md B02");
    assert_eq!(api.metric("pgrst_db_pool_timeouts_total").await, 1.0);
    busy.await.expect("asked").expect("answered");
}

// rows: rest/Z05 rest/L01
#[tokio::test]
async fn the_schema_is_shown_with_its_five_parts_and_exposed_schemas_only() {
    let stage = Stage::new().await;
    stage
        .execute(
            "create domain school.\"text/lesson\" as text;
             create function school.as_lesson() returns school.\"text/lesson\" stable language sql as $$ select 'x'::school.\"text/lesson\" $$;
             create domain school.shade as int;
             create function school.json(school.shade) returns json immutable language sql as $$ select to_json('#' || $1::int) $$;
             create cast (school.shade as json) with function school.json(school.shade) as implicit;
             create table school.paints (shade school.shade);",
        )
        .await;
    let api = stage.serve("");
    let reply = api.admin("/schema_cache").await;
    let schema = reply.json();
    for part in ["dbTables", "dbRelationships", "dbRoutines", "dbRepresentations", "dbMediaHandlers"] {
        assert!(schema.get(part).is_some(), "{part}");
    }
    assert_eq!(schema["dbRepresentations"][0]["type"], "school.shade");
    assert_eq!(schema["dbMediaHandlers"][0]["function"]["name"], "as_lesson");
    assert!(reply.text.contains("\"lessons\"") && reply.text.contains("\"whoami\""));
    assert!(!reply.text.contains("\"rooms\""), "annex is not exposed");
}

// rows: rest/Z07
#[tokio::test]
async fn requests_are_logged_by_level_with_role_and_size_and_their_sql_beside() {
    let stage = Stage::new().await;
    let api = stage.serve("log-level = \"warn\"\nlog-query = true");
    assert_eq!(api.get("/lessons?limit=1").await.status, 200);
    let refused = api.get_as("/marks", &stage.teacher()).await;
    assert_eq!(refused.status, 403);
    assert_eq!(api.get_as("/marks", "a.b").await.status, 401);
    assert!(api.wait_for_lines(|lines| lines.lines().count() == 2), "{}", api.lines());
    let lines = api.lines();
    let first = lines.lines().next().expect("a line");
    assert!(first.starts_with(&format!("127.0.0.1 - {}_teacher [", stage.name)), "{first}");
    assert!(first.contains(&format!("\"GET /marks HTTP/1.1\" 403 {} \"", refused.text.len())), "{first}");
    assert!(
        lines.lines().nth(1).is_some_and(|line| line.contains(" - - [") && line.contains("\" 401 ")),
        "{lines}"
    );
    assert!(api.wait_for_notes(|notes| notes.contains("\"school\".\"marks\"")), "{}", api.notes());
    assert!(!api.notes().contains("\"school\".\"lessons\""), "only what is logged shows its SQL");
    let quiet = stage.serve("log-level = \"crit\"");
    quiet.get_as("/marks", "a.b").await;
    quiet.get("/lessons").await;
    tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    assert_eq!(quiet.lines(), "");
}
