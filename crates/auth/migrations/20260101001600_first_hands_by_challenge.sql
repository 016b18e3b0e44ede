-- Who shares a network with a sign-up is not taken for it: only its challenge shows the same hand.
alter table auth.banyan_first_hands
    drop column client,
    drop column made_at;
