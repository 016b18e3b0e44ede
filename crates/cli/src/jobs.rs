//! Several transfers at a time.

use tokio::task::JoinSet;

/// Transfers that run, at most so many at a time.
pub(crate) struct Jobs {
    most: usize,
    running: JoinSet<anyhow::Result<()>>,
}

impl Jobs {
    pub(crate) fn at_most(most: usize) -> Self {
        Self { most: most.max(1), running: JoinSet::new() }
    }

    /// Starts a job once there is room for it.
    ///
    /// # Errors
    /// That of a job which has failed. The others go on until this value is dropped.
    pub(crate) async fn start(
        &mut self,
        job: impl Future<Output = anyhow::Result<()>> + Send + 'static,
    ) -> anyhow::Result<()> {
        while self.running.len() >= self.most {
            self.next().await?;
        }
        self.running.spawn(job);
        Ok(())
    }

    /// Waits for all of them.
    ///
    /// # Errors
    /// That of the first job which has failed.
    pub(crate) async fn finish(mut self) -> anyhow::Result<()> {
        while !self.running.is_empty() {
            self.next().await?;
        }
        Ok(())
    }

    async fn next(&mut self) -> anyhow::Result<()> {
        match self.running.join_next().await {
            Some(ended) => ended?,
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    };

    use super::*;

    // rows: CLI-STORAGE-CP CLI-SEED-BUCKETS
    #[tokio::test]
    async fn no_more_jobs_run_than_were_asked_for_and_a_failure_is_told() {
        let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let mut jobs = Jobs::at_most(2);
        for _ in 0..10 {
            let (running, most) = (Arc::clone(&running), Arc::clone(&most));
            let job = async move {
                most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                tokio::task::yield_now().await;
                running.fetch_sub(1, Ordering::SeqCst);
                Ok(())
            };
            jobs.start(job).await.expect("started");
        }
        jobs.finish().await.expect("all went well");
        assert_eq!(most.load(Ordering::SeqCst), 2);
        let mut jobs = Jobs::at_most(1);
        jobs.start(async { anyhow::bail!("no") }).await.expect("started");
        assert_eq!(jobs.finish().await.expect_err("told").to_string(), "no");
    }
}
