import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import lighthouse from 'lighthouse';
import { executablePath, quietly } from './browser.mjs';

/**
 * Starts a Chromium whose pages Lighthouse judges with
 * its mobile preset and the session of one page.
 */
export async function openAuditor(baseURL) {
  const profile = await mkdtemp(join(tmpdir(), 'auditor-'));
  const port = await freePort();
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    baseURL,
    args: [...quietly, `--remote-debugging-port=${port}`],
  });
  return {
    page: context.pages()[0],
    async audit(path, categories) {
      const settings = {
        port,
        output: 'json',
        logLevel: 'error',
        onlyCategories: categories,
        disableStorageReset: true,
      };
      const { lhr } = await lighthouse(new URL(path, baseURL).href, settings);
      return lhr;
    },
    async close() {
      await context.close();
      await rm(profile, { recursive: true, force: true });
    },
  };
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Returns the findings in a category: `{}` where its score is 100. */
export function faultsIn(lhr, category) {
  const found = lhr.categories[category].auditRefs
    .filter(({ weight, id }) => weight > 0 && lhr.audits[id].score !== null && lhr.audits[id].score < 1)
    .map(({ id }) => [id, lhr.audits[id].title]);
  return Object.fromEntries(found);
}
