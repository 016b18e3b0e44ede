/**
 * Every public page at both widths and in both themes. A page is readable without an account, has
 * no axe violations, is never wider than the window and has its texts for search engines. A picture
 * of each is saved. Nothing is stubbed. BASE_URL: the address of the application. SCREENSHOTS_DIR:
 * the folder for pictures. CHROMIUM_PATH: the browser.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertAccessible, assertNoSidewaysScroll } from './support/accessibility.mjs';
import { keepPicture, looks, phone, useBrowser } from './support/browser.mjs';

const baseURL = process.env.BASE_URL;
if (!baseURL) throw new Error('BASE_URL says where the application under test is');

const pages = [
  { path: '/', heading: /done before the bell/ },
  { path: '/about-us', heading: 'For the staff rooms of India' },
  { path: '/about', heading: /^About / },
  { path: '/blogs', heading: 'Reading for the staff room' },
  { path: '/blogs/1', heading: /^Forty minutes/ },
  { path: '/blogs/2', heading: /^A question paper/ },
  { path: '/blogs/3', heading: /^One file/ },
  { path: '/blogs/4', heading: /^From competency/ },
  { path: '/blogs/5', heading: /^When half the class/ },
  { path: '/blogs/6', heading: /^Messages that parents/ },
  { path: '/faqs', heading: 'Frequently asked questions' },
  { path: '/sitemap', heading: 'Sitemap' },
  { path: '/terms', heading: 'Terms & Conditions' },
  { path: '/privacy', heading: 'Privacy Policy' },
  { path: '/public-lesson-plan', heading: 'AI Lesson Plan Generator' },
  { path: '/public-question-paper', heading: 'Create Question Paper' },
  { path: '/public-teaching-aids', heading: 'Teaching Aids' },
  { path: '/public-communication-tool', heading: 'Communication Tool' },
];
/**
 * These are not prerendered. A missing page belongs to
 * nobody, and the prices depend on who is signed in.
 */
const unlisted = [
  { path: '/subscription', heading: 'Pricing' },
  { path: '/error', heading: 'Something Went Wrong' },
  { path: '/network-error', heading: 'No Internet Connection' },
  { path: '/nowhere', heading: 'Page Not Found' },
  { path: '/blogs/7', heading: 'Blog Post Not Found' },
  {
    path: '/blogs/00000000-0000-4000-8000-000000000000',
    heading: 'Blog Post Not Found',
    name: 'blogs-unknown',
  },
];

describe('the public pages', { timeout: 300_000 }, () => {
  const openPage = useBrowser(baseURL);

  for (const look of looks) {
    // rows: S-057 S-424 S-428
    test(`public pages are readable and accessible at ${look.name}`, async () => {
      const { page, problems, close } = await openPage(look);
      for (const { path, heading, name } of [...pages, ...unlisted]) {
        await page.goto(path);
        await page.getByRole('heading', { level: 1, name: heading }).waitFor();
        await page.evaluate(() => document.fonts.ready.then(() => undefined));
        await assertNoSidewaysScroll(page, path);
        await assertAccessible(page, path);
        const file = name ?? (path === '/' ? 'landing' : path.slice(1).replaceAll('/', '-'));
        await keepPicture(page, `public-${file}-${look.name}`, { fullPage: true });
      }
      assert.deepEqual(problems, []);
      await close();
    });
  }

  test('public pages are prerendered with their own title and description', async () => {
    const seen = new Set();
    for (const { path } of pages) {
      const html = await (await fetch(baseURL + path)).text();
      const title = /<title>(.+)<\/title>/.exec(html)?.[1];
      const description = /<meta name="description" content="([^"]{40,200})"/.exec(html)?.[1];
      assert.ok(title && description, `${path} has a title and a description of useful length`);
      assert.match(html, /<meta property="og:title" content="[^"]+"/, path);
      assert.match(html, /<h1[ >]/, path);
      assert.ok(!seen.has(title) && !seen.has(description), `${path} has its own words`);
      seen.add(title).add(description);
    }
  });

  test('pages name their own address, and missing posts are not listed', async () => {
    const { page, close } = await openPage({ viewport: phone, colorScheme: 'light' });
    await page.goto('/');
    await page.getByRole('link', { name: 'FAQs' }).click();
    await page.getByRole('heading', { level: 1, name: 'Frequently asked questions' }).waitFor();
    const canonical = page.locator('link[rel="canonical"]');
    // The tags follow the page's content, which comes first.
    await canonical.waitFor({ state: 'attached' });
    assert.equal(await canonical.count(), 1);
    assert.equal(await canonical.getAttribute('href'), `${new URL(baseURL).origin}/faqs`);
    await page.goto('/blogs/7');
    await page.locator('meta[name="robots"][content="noindex,nofollow"]').waitFor({ state: 'attached' });
    await close();
  });

  const previews = [
    ['/public-lesson-plan', 'Chapter', 'Start Plan Builder'],
    ['/public-question-paper', 'Chapter', 'Start Question Paper Builder'],
    ['/public-teaching-aids', 'Chapter', 'Start Teaching Aid Builder'],
    ['/public-communication-tool', 'Purpose or subject', 'Generate Communication'],
  ];
  for (const [path, field, button] of previews) {
    // rows: S-008 S-073 S-074 S-075 S-079
    test(`the preview ${path.slice(1)} sends nothing that is typed`, async () => {
      const { page, close } = await openPage({ viewport: phone, colorScheme: 'light' });
      await page.goto(path, { waitUntil: 'networkidle' });
      const sent = [];
      // A slow machine may still be fetching chunks of the page itself.
      const isPart = (url) => /^\/(assets\/[^?]+|favicon\.svg)$/.test(url.slice(new URL(url).origin.length));
      page.on('request', (request) => {
        if (!isPart(request.url())) sent.push(`${request.url()} ${request.postData() ?? ''}`);
      });
      await page.getByLabel(field, { exact: true }).fill('Electricity-unmistakable');
      const choices = page.locator('form select');
      if (await choices.count()) await choices.first().selectOption({ index: 1 });
      await page.waitForTimeout(700);
      assert.deepEqual(sent, [], 'nothing is sent while a form is filled in');
      await page.getByRole('button', { name: new RegExp(`^${button}`) }).click();
      await page.waitForURL('**/auth');
      await page.getByRole('button', { name: 'Continue with Email OTP' }).waitFor();
      assert.deepEqual(
        sent.filter((request) => /unmistakable|\/(rest|functions)\/v1\//.test(request)),
        [],
      );
      assert.equal(new URL(page.url()).search, '');
      await page.goBack();
      await page.getByRole('heading', { level: 1 }).waitFor();
      assert.equal(
        await page.getByLabel(field, { exact: true }).inputValue(),
        '',
        'what was typed is dropped',
      );
      await close();
    });
  }
});
