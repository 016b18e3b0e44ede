-- Work that one node does for all, once in each interval: when its last turn was taken, and by whom it is held.
create table _banyan.turns (
    work text primary key,
    taken_at timestamptz not null,
    holder uuid,
    held_until timestamptz,
    check ((holder is null) = (held_until is null))
);

alter table _banyan.turns enable row level security;

comment on column _banyan.turns.held_until is
    'A node that works puts it off; one that died does not, and the next turn is free from then on.';
