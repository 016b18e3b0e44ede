-- The pause between two codes is one of the address, for all networks that are not known together (auth.md M7): otherwise
-- forty networks have forty codes sent at once.
alter table auth.banyan_code_addresses add column sent_at timestamptz;

comment on column auth.banyan_code_addresses.sent_at is
    'When the last code went that a network asked for which is not known.';
