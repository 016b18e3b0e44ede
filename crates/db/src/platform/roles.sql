-- Roles (db/CONTRACT.md PG-ROLES). Settings of a role are given when it is made and never again, so that a project may change them.
create function pg_temp.ensure_role(role_name text, attributes text, variadic settings text[] default '{}')
returns void language plpgsql as $$
declare
  setting text;
begin
  if exists (select from pg_catalog.pg_roles where rolname = role_name) then
    return;
  end if;
  execute format('create role %I %s', role_name, attributes);
  foreach setting in array settings loop
    execute format('alter role %I set %s', role_name, setting);
  end loop;
end
$$;

do $$
begin
  perform pg_temp.ensure_role('supabase_admin', 'login superuser createdb createrole replication bypassrls');
  perform pg_temp.ensure_role(
    'postgres', 'login nosuperuser createdb createrole replication bypassrls',
    'search_path = "$user", public, extensions'
  );
  perform pg_temp.ensure_role('anon', 'nologin', 'statement_timeout = ''3s''');
  perform pg_temp.ensure_role('authenticated', 'nologin', 'statement_timeout = ''8s''');
  perform pg_temp.ensure_role('service_role', 'nologin bypassrls');
  perform pg_temp.ensure_role(
    'authenticator', 'login noinherit', 'statement_timeout = ''8s''', 'lock_timeout = ''8s'''
  );
  perform pg_temp.ensure_role(
    'supabase_auth_admin', 'login noinherit',
    'search_path = auth', 'idle_in_transaction_session_timeout = 60000'
  );
  perform pg_temp.ensure_role('supabase_storage_admin', 'login noinherit createrole', 'search_path = storage');
  perform pg_temp.ensure_role(
    'supabase_realtime_admin', 'login noinherit createrole replication',
    'search_path = public, extensions, realtime'
  );
  perform pg_temp.ensure_role('dashboard_user', 'nologin createdb createrole replication');
end
$$;

drop function pg_temp.ensure_role(text, text, text[]);

-- The superuser made by initdb exists before; its search path is set unless somebody set one.
do $$
begin
  if not exists (
    select from pg_catalog.pg_db_role_setting
    where setrole = 'supabase_admin'::regrole and setdatabase = 0
  ) then
    alter role supabase_admin set search_path = "$user", public, auth, extensions;
  end if;
end
$$;

grant anon, authenticated, service_role to authenticator;
grant anon, authenticated, service_role to supabase_realtime_admin;
grant authenticator to supabase_storage_admin;

-- The owners of the services' tables are granted to postgres, so that a project may put policies on storage.objects and
-- triggers on auth.users.
do $$
begin
  if not (select rolsuper from pg_catalog.pg_roles where rolname = 'postgres') then
    grant anon, authenticated, service_role to postgres with admin option;
    grant supabase_auth_admin, supabase_storage_admin, supabase_realtime_admin to postgres;
    grant pg_monitor, pg_read_all_data, pg_signal_backend to postgres;
    grant execute on function pg_catalog.pg_reload_conf() to postgres;
    -- The data API reads its options from settings of authenticator, which a project may change
    -- (rest/CONTRACT.md config db-config).
    grant authenticator to postgres with admin option;
  end if;
end
$$;

do $$
declare
  option text;
begin
  if (select rolsuper from pg_catalog.pg_roles where rolname = 'postgres') then
    return;
  end if;
  foreach option in array array[
    'client_error_verbosity', 'db_aggregates_enabled', 'db_anon_role', 'db_extra_search_path',
    'db_hoisted_tx_settings', 'db_max_rows', 'db_plan_enabled', 'db_pre_config', 'db_pre_request',
    'db_prepared_statements', 'db_root_spec', 'db_schemas', 'db_tx_end', 'jwt_aud', 'jwt_cache_max_entries',
    'jwt_role_claim_key', 'jwt_secret', 'jwt_secret_is_base64', 'openapi_mode', 'openapi_security_active',
    'openapi_server_proxy_uri', 'server_cors_allowed_origins', 'server_timing_enabled', 'server_trace_header',
    'url_use_legacy_target_names'
  ] loop
    execute format('grant set on parameter pgrst.%I to postgres', option);
  end loop;
  -- A dump of another project's data begins with it, so that no trigger fires for what is restored.
  grant set on parameter session_replication_role to postgres;
end
$$;
