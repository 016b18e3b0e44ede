-- An identity on its way to an account, between the return from the provider and the exchange of the flow's code.
create table auth.banyan_pending_links (
    flow_state_id uuid not null,
    identity_data jsonb not null,
    constraint banyan_pending_links_pkey primary key (flow_state_id),
    constraint banyan_pending_links_flow_state_id_fkey foreign key (flow_state_id)
        references auth.flow_state (id) on delete cascade
);

comment on table auth.banyan_pending_links is
    'What a provider said of somebody whose identity is linked when the code of the flow is exchanged.';

alter table auth.banyan_pending_links enable row level security;

do $$
begin
    if exists (select from pg_roles where rolname = 'dashboard_user') then
        revoke all on auth.banyan_pending_links from dashboard_user;
    end if;
end $$;
