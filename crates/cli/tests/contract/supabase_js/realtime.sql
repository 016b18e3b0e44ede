-- Who may read and write the private topics of the tests: a signed-in user, each topic of its own.
create policy "own contract topics are read" on realtime.messages
for select to authenticated
using (realtime.topic() = 'contract:' || (select auth.uid()));

create policy "own contract topics are written" on realtime.messages
for insert to authenticated
with check (realtime.topic() = 'contract:' || (select auth.uid()));
