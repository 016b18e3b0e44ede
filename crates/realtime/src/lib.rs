//! Answers `/realtime/v1` like Supabase's realtime service: broadcast, presence and row changes over
//! websockets. The contract is CONTRACT.md; docs cite its row ids.
