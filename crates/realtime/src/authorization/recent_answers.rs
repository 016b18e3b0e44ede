use std::{
    convert::Infallible,
    time::{Duration, Instant},
};

use quick_cache::sync::Cache;

use super::Key;

/// How long an answer counts, from when it was asked for.
const LIFE: Duration = Duration::from_secs(1);
/// Most answers that are remembered.
const MOST: usize = 20_000;

/// Answers of the last second. Equal questions at a time are one.
#[derive(Debug)]
pub(super) struct RecentAnswers<T>(Cache<Key, Kept<T>>);

#[derive(Debug, Clone)]
struct Kept<T> {
    asked_at: Instant,
    answer: T,
}

impl<T: Clone> Default for RecentAnswers<T> {
    fn default() -> Self {
        Self(Cache::new(MOST))
    }
}

impl<T: Clone> RecentAnswers<T> {
    /// The answer to a question, which is asked where nobody asks it at `now` or has done so in the
    /// second before. Dropping the future is safe: another one that waits asks then.
    pub(super) async fn answer(&self, key: Key, now: Instant, ask: impl Future<Output = T>) -> T {
        self.0.remove_if(&key, |kept| kept.asked_at + LIFE <= now);
        let ask = async { Ok::<_, Infallible>(Kept { asked_at: now, answer: ask.await }) };
        match self.0.get_or_insert_async(&key, ask).await {
            Ok(kept) => kept.answer,
            Err(never) => match never {},
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    const KEY: Key = [1; 32];

    // rows: A10
    #[tokio::test]
    async fn a_question_is_asked_once_in_a_second() {
        let answers = RecentAnswers::default();
        let (asked, start) = (Cell::new(0), Instant::now());
        let ask = |key, after| {
            let ask = async {
                tokio::task::yield_now().await;
                asked.set(asked.get() + 1);
                asked.get()
            };
            answers.answer(key, start + Duration::from_millis(after), ask)
        };
        assert_eq!(tokio::join!(ask(KEY, 0), ask(KEY, 0), ask(KEY, 5)), (1, 1, 1), "at a time");
        assert_eq!(ask([2; 32], 5).await, 2, "another question");
        assert_eq!(ask(KEY, 999).await, 1);
        assert_eq!(ask(KEY, 1_000).await, 3);
    }

    // rows: A10
    #[tokio::test]
    async fn who_waits_asks_when_the_one_who_asked_has_gone() {
        let (answers, now) = (RecentAnswers::default(), Instant::now());
        let mut first = Box::pin(answers.answer(KEY, now, std::future::pending::<u8>()));
        assert!(futures_util::poll!(&mut first).is_pending());
        let mut second = Box::pin(answers.answer(KEY, now, std::future::ready(2)));
        assert!(futures_util::poll!(&mut second).is_pending());
        drop(first);
        assert_eq!(second.await, 2);
    }
}
