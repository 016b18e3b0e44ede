-- Messages of broadcast and what decides about channels, in the reference's shape. Names are a
-- contract: policies, triggers and migrations of projects depend on them (CONTRACT.md O2 to O4).

create table realtime.messages (
    topic text not null,
    extension text not null,
    payload jsonb,
    event text,
    private boolean default false,
    updated_at timestamp not null default now(),
    inserted_at timestamp not null default now(),
    id uuid not null default gen_random_uuid(),
    binary_payload bytea,
    constraint messages_pkey primary key (id, inserted_at),
    constraint messages_payload_exclusive check (payload is null or binary_payload is null)
) partition by range (inserted_at);

comment on table realtime.messages is
    'Row-level security on this table decides about private channels: select reads, insert writes.';

create index messages_inserted_at_topic_index on realtime.messages (inserted_at desc, topic)
    where extension = 'broadcast' and private;

-- No policy: what a project does not open stays closed, but to service_role.
alter table realtime.messages enable row level security;
grant select, insert, update on realtime.messages to postgres, anon, authenticated, service_role;

select _banyan.realtime_keep_partitions();
select _banyan.realtime_keep_publication();

create function realtime.topic() returns text
language sql stable
as $$
    select nullif(current_setting('realtime.topic', true), '')::text
$$;

comment on function realtime.topic is 'The topic of the channel that a policy is asked for, without its prefix.';

-- Both run with the rights of who calls them, in his search path: functions of his policies need it.
create function realtime.send(payload jsonb, event text, topic text, private boolean default true) returns void
language plpgsql
as $$
declare
    message_id constant uuid := gen_random_uuid();
begin
    perform set_config('realtime.topic', topic, true);
    insert into realtime.messages (id, payload, event, topic, private, extension)
    values (
        message_id,
        case when payload ? 'id' then payload else jsonb_set(payload, '{id}', to_jsonb(message_id)) end,
        event, topic, private, 'broadcast'
    );
exception when others then
    raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
end
$$;

comment on function realtime.send is
    'Broadcasts a payload once the transaction is committed. A failure is a warning, and never the caller''s.';

create function realtime.send_binary(payload bytea, event text, topic text, private boolean default true) returns void
language plpgsql
as $$
begin
    perform set_config('realtime.topic', topic, true);
    insert into realtime.messages (binary_payload, event, topic, private, extension)
    values (payload, event, topic, private, 'broadcast');
exception when others then
    raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
end
$$;

comment on function realtime.send_binary is 'Broadcasts bytes, as realtime.send does.';

create function realtime.broadcast_changes(
    topic_name text, event_name text, operation text, table_name text, table_schema text, new record, old record,
    level text default 'ROW'
) returns void
language plpgsql
as $$
begin
    if level <> 'ROW' then
        raise exception 'realtime.broadcast_changes is for triggers of each row, and this one is for each %', level;
    end if;
    if operation is null or operation not in ('INSERT', 'UPDATE', 'DELETE') then
        raise exception 'realtime.broadcast_changes knows INSERT, UPDATE and DELETE, and no operation %', operation;
    end if;
    perform realtime.send(
        jsonb_build_object(
            'old_record', old, 'record', new, 'operation', operation, 'table', table_name, 'schema', table_schema
        ),
        event_name, topic_name
    );
end
$$;

comment on function realtime.broadcast_changes is 'Called by a row trigger: broadcasts the change privately.';
