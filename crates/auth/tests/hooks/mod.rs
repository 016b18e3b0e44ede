//! Hooks: functions and addresses of the project that are asked before something is done.

mod attempts;
mod claims;
mod edge_functions;
mod http;
mod mails;
mod messages;
mod postgres;

use crate::support::Stage;

const SECRET: &str = "v1,whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const OTHER: &str = "v1,whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX";

fn hook(point: &str, uri: &str) -> String {
    format!("[auth.hook.{point}]\nenabled = true\nuri = \"{uri}\"\nsecrets = \"{SECRET}\"\n")
}

fn function(point: &str) -> String {
    hook(point, "pg-functions://postgres/public/hook")
}

/// A function of the database that answers so.
async fn answers(stage: &Stage, body: &str) {
    let text = format!(
        "create or replace function public.hook(event jsonb) returns jsonb language plpgsql as $$ {body} $$;
        grant execute on function public.hook to supabase_auth_admin"
    );
    sqlx::raw_sql(sqlx::AssertSqlSafe(text)).execute(stage.sql()).await.unwrap();
}
