-- The part of the platform that the product builds on.

create role postgres login createdb createrole replication bypassrls password 'postgres';
create role anon nologin; create role authenticated nologin; create role service_role nologin bypassrls;
create role authenticator login noinherit password 'postgres';
grant anon, authenticated, service_role to authenticator;
grant anon, authenticated, service_role to postgres with admin option;
create role supabase_auth_admin login noinherit createrole password 'postgres';
grant supabase_auth_admin to postgres;
