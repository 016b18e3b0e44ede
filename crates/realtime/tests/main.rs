//! Tests of the realtime service.
