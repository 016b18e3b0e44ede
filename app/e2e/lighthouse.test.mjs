/**
 * The results of Lighthouse that are the same every time (SPECIFICATION.md D35): accessibility and
 * best practices of three screens, and the SEO of the public ones.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { baseURL, inboxURL } from './support/env.mjs';
import { faultsIn, openAuditor } from './support/lighthouse.mjs';
import { signInAnew } from './support/sign-in.mjs';

describe('Lighthouse reports no problem', { timeout: 240_000 }, () => {
  let auditor;
  before(async () => {
    auditor = await openAuditor(baseURL);
  });
  after(() => auditor.close());

  async function assertFlawless(path, categories) {
    const lhr = await auditor.audit(path, categories);
    for (const category of categories) {
      assert.deepEqual(faultsIn(lhr, category), {}, `${category} of ${path}`);
      assert.equal(lhr.categories[category].score, 1, `${category} of ${path}`);
    }
  }

  test('Lighthouse reports no problem on public pages', async () => {
    for (const path of ['/', '/auth', '/faqs', '/blogs', '/public-question-paper']) {
      await assertFlawless(path, ['accessibility', 'best-practices', 'seo']);
    }
  });

  test('Lighthouse reports no problem on screens of an account', async () => {
    await signInAnew(auditor.page, inboxURL);
    for (const path of ['/home', '/question-paper']) {
      await assertFlawless(path, ['accessibility', 'best-practices']);
    }
  });
});
