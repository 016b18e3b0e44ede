-- Whose hand an account came from that nobody confirmed yet. Without a row, whoever proves to own its address finds it empty.
create table auth.banyan_first_hands (
    user_id uuid not null,
    hand text not null,
    constraint banyan_first_hands_pkey primary key (user_id),
    constraint banyan_first_hands_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade,
    constraint banyan_first_hands_hand_check check (hand in ('sign_up', 'code', 'provider', 'admin'))
);

comment on table auth.banyan_first_hands is
    'The kind of request that made an account which is not confirmed yet, as long as no other asked for its codes.';

alter table auth.banyan_first_hands enable row level security;

do $$
begin
    if exists (select from pg_roles where rolname = 'dashboard_user') then
        revoke all on auth.banyan_first_hands from dashboard_user;
    end if;
end $$;
