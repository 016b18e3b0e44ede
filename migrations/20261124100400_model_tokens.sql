-- A daily cap on what models may use stops their calls, not the product (generation.md 3.3).

create table private.model_tokens (
  day date primary key,
  tokens bigint not null check (tokens >= 0)
);

alter table private.model_tokens enable row level security;
revoke all on private.model_tokens from public, anon, authenticated, service_role;

comment on table private.model_tokens is 'Tokens that language models have read and written, by the day in India.';

create function public.note_model_tokens(tokens bigint)
returns bigint
language sql
security definer
set search_path = ''
as $$
  insert into private.model_tokens as counted (day, tokens)
  values ((now() at time zone 'Asia/Kolkata')::date, note_model_tokens.tokens)
  on conflict (day) do update set tokens = counted.tokens + excluded.tokens
  returning tokens
$$;

comment on function public.note_model_tokens(bigint) is
  'Adds to the tokens that models have used today, in India, and answers how many those are now.';

revoke all on function public.note_model_tokens(bigint) from public, anon, authenticated, service_role;
grant execute on function public.note_model_tokens(bigint) to service_role;
