//! The service in process, each test on its own database.
