-- Default privileges of the schema had given them to the dashboard's role too: who may write them resets tries.
-- (postgres, the project's owner, is a member of the role that owns them.)
do $$
begin
    if exists (select from pg_roles where rolname = 'dashboard_user') then
        revoke all on auth.banyan_code_tries, auth.banyan_factor_tries from dashboard_user;
    end if;
end $$;
