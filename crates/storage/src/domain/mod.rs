//! The rules about objects, limits and permissions. No routes, no SQL.
