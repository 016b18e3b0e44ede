\startpipeline
select set_config('role', 'authenticated', true), set_config('request.jwt.claims', :claims, true), set_config('search_path', '"public", "extensions"', true), set_config('request.method', 'GET', true), set_config('request.path', '/profiles', true), set_config('request.headers', '{"accept":"*/*"}', true), set_config('request.cookies', '{}', true), set_config('transaction_read_only', 'on', true);
with pgrst_source as (select "profiles"."coins" from "public"."profiles" as "profiles" where "profiles"."user_id" = :owner limit 1000) select null::bigint, count(*), nullif(current_setting('response.headers', true), ''), nullif(current_setting('response.status', true), ''), null, null, coalesce((json_agg(pgrst_row.*))::text, '[]') from pgrst_source as pgrst_row;
\endpipeline
