/** A slow network, an API that is down, and the code that the page may run. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { faultsOfScript, faultsOfStyles, newerThanPromised } from '../scripts/browsers.mjs';
import { desktop, phone, useBrowser } from './support/browser.mjs';
import { baseURL, inboxURL } from './support/env.mjs';
import { fillPaper } from './support/forms.mjs';
import { slowDown } from './support/slow-network.mjs';
import { signInAnew } from './support/sign-in.mjs';

const publicPaths = [
  '/',
  '/about-us',
  '/about',
  '/blogs',
  '/blogs/1',
  '/faqs',
  '/sitemap',
  '/public-lesson-plan',
  '/public-question-paper',
  '/public-teaching-aids',
  '/public-communication-tool',
  '/terms',
  '/privacy',
  '/error',
  '/network-error',
];

const api = /\/(rest|auth|functions)\/v1\//;

describe('slow networks, outages and old browsers', { timeout: 360_000 }, () => {
  const openPage = useBrowser(baseURL);

  // rows: S-072 S-425
  test('the landing page shows text and working links on a slow network', async () => {
    const { page, close } = await openPage({ viewport: phone, colorScheme: 'light' });
    await slowDown(page);
    // By SPECIFICATION.md D34 the landing page shows text
    // within 5 s. The page behind its link has as long.
    const timeout = 5_000;
    await page.goto('/', { waitUntil: 'commit' });
    await page.getByRole('heading', { level: 1 }).waitFor({ timeout });
    await page.getByRole('link', { name: 'FAQs' }).click({ noWaitAfter: true });
    await page.getByRole('heading', { level: 1, name: 'Frequently asked questions' }).waitFor({ timeout });
    await close();
  });

  // rows: S-425
  test('a slow network shows a press within 100 ms and progress within 300 ms', async () => {
    const { page, close } = await openPage({ viewport: phone, colorScheme: 'light' });
    await page.goto('/auth');
    await page.getByRole('button', { name: 'Continue with Email OTP' }).click();
    await page.getByLabel('Email address').fill('asha@school.example');
    await slowDown(page);
    // A busy machine may delay one press, but not all of them.
    const times = [];
    for (let press = 0; press < 3; press += 1) {
      await page.route('**/auth/v1/otp*', (route) => route.abort('connectionreset'));
      times.push(await reactionTo(page, page.getByRole('button', { name: 'Send OTP' }), 'Sending...'));
      await page.getByRole('button', { name: 'Send OTP' }).waitFor();
    }
    const best = (name) => Math.min(...times.map((time) => time[name]));
    assert.ok(best('first') <= 100, `first sign after ${best('first')} ms`);
    assert.ok(best('busy') <= 300, `busy after ${best('busy')} ms`);
    await close();
  });

  // rows: S-425
  test('a slow network shows that a pressed tool is on its way', async () => {
    const { page, problems, close } = await openPage({ viewport: phone, colorScheme: 'light' });
    await signInAnew(page, inboxURL);
    let goOn = () => undefined;
    const held = new Promise((resolve) => {
      goOn = resolve;
    });
    await page.route(/\/assets\/question-paper-[^/]*\.js/, async (route) => {
      await held;
      await route.continue();
    });
    await page.getByRole('link', { name: /^Question Paper/ }).click({ noWaitAfter: true });
    const coming = page.getByRole('status').getByText('Loading...');
    await coming.waitFor({ timeout: 1_000 });
    goOn();
    await page.getByRole('heading', { level: 1, name: 'Create Question Paper' }).waitFor();
    assert.equal(await coming.count(), 0);
    assert.deepEqual(problems, []);
    await close();
  });

  // rows: S-427
  test('a running document warns before leaving and goes on on another screen', async () => {
    const { page, problems, close } = await openPage({ viewport: phone, colorScheme: 'light' });
    await signInAnew(page, inboxURL);
    await page.goto('/question-paper');
    await fillPaper(page);
    await page.getByText('The document will say of itself:').waitFor();
    let goOn = () => undefined;
    const held = new Promise((resolve) => {
      goOn = resolve;
    });
    await page.route('**/functions/v1/generate-question-paper', async (route) => {
      await held;
      await route.continue();
    });
    await page.getByRole('button', { name: /^Download/ }).click();
    await page.getByText('Writing your document').waitFor();
    const asked = page.waitForEvent('dialog');
    await page.evaluate(() => setTimeout(() => window.location.reload()));
    const question = await asked;
    assert.equal(question.type(), 'beforeunload');
    await question.dismiss();
    await page.getByRole('link', { name: 'Back to Home' }).click();
    await page.getByText('Your document is still being written').waitFor();
    const download = page.waitForEvent('download');
    goOn();
    await download;
    await page.getByText('Question Paper Generated!').waitFor();
    assert.equal(new URL(page.url()).pathname, '/home');
    assert.deepEqual(problems, []);
    await close();
  });

  // rows: S-144
  test('a refusal by Google is shown on /auth and leaves the address', async () => {
    const { page, problems, close } = await openPage({ viewport: phone, colorScheme: 'light' });
    const refusal = 'error=access_denied&error_description=The+user+said+no';
    await page.goto(`/faqs?${refusal}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    assert.equal(new URL(page.url()).pathname, '/faqs', 'no sign-in was begun here');
    await page.evaluate(() => window.localStorage.setItem('session-code-verifier', '"begun"'));
    for (const address of [`/home?${refusal}`, `/home#${refusal}&sb=`, `/?${refusal}#${refusal}`]) {
      await page.goto('about:blank');
      await page.goto(address);
      const toast = page.getByRole('alert').filter({ hasText: 'Authentication Error' });
      await toast.getByText('The sign-in service wrote: “The user said no”').waitFor();
      await page.getByRole('button', { name: 'Continue with Google' }).waitFor();
      assert.equal(page.url(), `${baseURL}/auth`, address);
    }
    await page.goto('/home?code=00000000-0000-4000-8000-000000000000');
    await page.getByText('An unexpected error occurred.').waitFor();
    await page.waitForURL(`${baseURL}/auth`);
    assert.deepEqual(problems, []);
    await close();
  });

  // rows: S-112 S-176 S-398
  test('with the API down, public pages work and account screens say so and recover', async () => {
    const { page, problems, close } = await openPage({ viewport: phone, colorScheme: 'light' });
    await signInAnew(page, inboxURL);
    const down = (route) =>
      route.fulfill({ status: 503, contentType: 'application/json', body: '{"message":"down"}' });
    await page.route(api, down);
    for (const path of publicPaths) {
      await page.goto(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      assert.equal(new URL(page.url()).pathname, path);
    }
    await page.goto('/blogs');
    await page.getByRole('link', { name: /Forty minutes/ }).waitFor();
    await page.goto('/home');
    await page.getByText('Failed to load wallet information').waitFor();
    await page.getByRole('heading', { level: 1, name: /^Namaste/ }).waitFor();
    const notice = page.getByText('We cannot reach our server. Trying again by itself.');
    let asked = 0;
    page.on('request', (request) => {
      if (api.test(request.url()) && request.method() !== 'OPTIONS') asked += 1;
    });
    for (const path of [
      '/lesson-plan',
      '/question-paper',
      '/teaching-aids',
      '/communication-tool',
      '/subscription',
      '/profile',
      '/home',
    ]) {
      await page.goto(path);
      // A teacher who sees only dots for longer believes that the page is broken.
      await notice.waitFor({ timeout: 4_000 });
      await page.getByRole('heading', { level: 1 }).waitFor();
      assert.equal(new URL(page.url()).pathname, path, 'nobody is signed out by a server that is away');
    }
    // Everything on the screen is read again once in some seconds, and not by all parts at once.
    asked = 0;
    assert.equal(await timesLost(page, await notice.textContent(), 10_000), 0, 'the notice stays meanwhile');
    assert.ok(asked >= 1 && asked <= 7, `${asked} calls in ten seconds of a server that is away`);
    assert.equal(await page.getByText('Failed to load wallet information').count(), 0, 'told once');
    await page.unroute(api, down);
    await notice.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: '20 credits', exact: true }).waitFor();
    // One table alone is reported as soon as all of them.
    // The retries of the client would take seven seconds.
    await page.route('**/rest/v1/payment_transactions*', down);
    await page.reload();
    await page.getByRole('link', { name: '20 credits', exact: true }).waitFor();
    await notice.waitFor({ timeout: 4_000 });
    assert.deepEqual(problems, []);
    await close();
  });

  // rows: S-152 S-425
  test('a session that cannot be renewed waits on its screen and says so', async () => {
    const { page, problems, close } = await openPage({ viewport: phone, colorScheme: 'light' });
    await signInAnew(page, inboxURL);
    const down = (route) =>
      route.fulfill({ status: 503, contentType: 'application/json', body: '{"message":"down"}' });
    await page.route(api, down);
    // An hour has passed, so the token has to be renewed before any call.
    await page.evaluate(() => {
      const session = JSON.parse(window.localStorage.getItem('session'));
      window.localStorage.setItem('session', JSON.stringify({ ...session, expires_at: 1 }));
    });
    await page.clock.install();
    // Second by second, since what the client asks between two of its timers takes time of its own.
    const pass = async (seconds) => {
      for (let second = 0; second < seconds; second += 1) await page.clock.runFor(1_000);
    };
    await page.goto('/lesson-plan');
    await page.getByText('We cannot reach our server. Trying again by itself.').waitFor();
    // The client gives up after 25 s.
    await pass(28);
    assert.equal(new URL(page.url()).pathname, '/lesson-plan');
    await page.unroute(api, down);
    // After a minute the client tries again, at its next check. Checks are 30 seconds apart.
    await pass(90);
    await page.getByRole('heading', { level: 1, name: 'Create Lesson Plan' }).waitFor();
    assert.deepEqual(problems, []);
    await close();
  });

  // rows: S-137 S-420
  test('a code that cannot be sent is reported, and no session shows no toast', async () => {
    const { page, close } = await openPage({ viewport: phone, colorScheme: 'light' });
    await page.goto('/home');
    await page.waitForURL('**/auth');
    assert.equal(await page.locator('[data-toaster]').textContent(), '');
    await page.route(api, (route) => route.abort('connectionrefused'));
    await page.getByRole('button', { name: 'Continue with Email OTP' }).click();
    await page.getByLabel('Email address').fill('asha@school.example');
    await page.getByRole('button', { name: 'Send OTP' }).click();
    await page.getByText('Failed to send OTP').waitFor();
    await close();
  });

  // rows: S-127 S-431
  test('the page runs only the files of the application', async () => {
    const { page, close } = await openPage({ viewport: desktop, colorScheme: 'light' });
    for (const path of ['/home', '/admin', '/auth', '/blogs/1', '/nowhere', '/']) {
      const answer = await page.goto(path);
      const policy = answer.headers()['content-security-policy'];
      const scripts = /(?:^|; )script-src ([^;]*)/.exec(policy)[1].split(' ');
      assert.ok(
        scripts.some((source) => source.endsWith('/assets/')),
        path,
      );
      assert.ok(
        scripts.every((source) => /^[\w.:-]+\/(assets\/|[\w.]+)$/.test(source)),
        `${path}: ${scripts}`,
      );
      for (const rule of ["object-src 'none'", "base-uri 'self'", "frame-ancestors 'none'"]) {
        assert.ok(policy.includes(rule), `${path}: ${rule}`);
      }
    }
    await page.getByRole('heading', { level: 1 }).waitFor();
    const ran = await page.evaluate(async () => {
      const script = document.createElement('script');
      script.textContent = 'window.strangerRan = true';
      document.body.append(script);
      await new Promise((resolve) => setTimeout(resolve, 50));
      return 'strangerRan' in window;
    });
    assert.equal(ran, false);
    const external = await page.evaluate(() =>
      [...document.querySelectorAll('a[target=_blank]')].map(({ rel }) => rel),
    );
    assert.ok(external.length >= 2 && external.every((rel) => rel.includes('noopener')), external.join());
    await close();
  });

  // rows: S-429
  test('the build uses no feature that the oldest supported browser lacks', async () => {
    assert.equal(faultsOfScript('newer.js', 'export const sorted = [2, 1].toSorted();').length, 1);
    assert.equal(faultsOfScript('newer.js', 'export class A { static { } }').length, 1);
    assert.equal(
      faultsOfStyles('newer.css', '.a{color:oklch(0 0 0)}@supports (a:b){.a{height:9dvh}}').length,
      1,
    );
    assert.deepEqual(await newerThanPromised(), []);
  });

  // rows: D36
  test('checks that failed once load again by themselves and the document is made', async () => {
    const { page, problems, close } = await openPage({ viewport: phone, colorScheme: 'light' });
    await signInAnew(page, inboxURL);
    const asked = [];
    await page.route(/\/assets\/checks-[^/]*\.js/, (route) => {
      asked.push(new URL(route.request().url()).search);
      return asked.length === 1 ? route.abort('connectionreset') : route.continue();
    });
    await page.goto('/question-paper', { waitUntil: 'networkidle' });
    assert.deepEqual(asked, [], 'an empty form needs no checks');
    await page.getByLabel('Publisher', { exact: true }).fill('NCERT');
    const notice = page.getByText('Part of this page has not arrived.');
    await notice.waitFor();
    await fillPaper(page);
    await notice.waitFor({ state: 'detached' });
    await page.getByText('The document will say of itself:').waitFor();
    await saveDocument(page);
    assert.deepEqual(asked.slice(0, 2), ['', '?again=1']);
    assert.deepEqual(problems, []);
    await close();
  });

  // rows: D36
  test('a reloaded page has the checks that failed to load, and the draft', async () => {
    const { page, close } = await openPage({ viewport: phone, colorScheme: 'light' });
    await signInAnew(page, inboxURL);
    // Every form is checked with this chunk, and a
    // browser keeps its failure while the page is open.
    const lost = /\/assets\/schemas-[^/]*\.js/;
    await page.route(lost, (route) => route.abort('connectionreset'));
    await page.goto('/question-paper');
    await fillPaper(page);
    await page.getByText('Part of this page has not arrived.').waitFor();
    assert.ok(await page.getByRole('button', { name: /^Download/ }).isDisabled());
    // Until the page is loaded again: its own next try would take the button away.
    page.once('framenavigated', () => page.unroute(lost));
    await page.getByRole('button', { name: 'Load the page again' }).click();
    await page.getByText('The document will say of itself:').waitFor();
    assert.equal(await page.getByLabel('Publisher', { exact: true }).inputValue(), 'NCERT');
    await saveDocument(page);
    await close();
  });

  // rows: S-321
  test('the dark theme is there before any script of the application', async () => {
    const { page, close } = await openPage({ viewport: phone, colorScheme: 'dark' });
    await page.route('**/assets/*.js', (route) => route.abort());
    await page.goto('/', { waitUntil: 'domcontentloaded' });
    assert.equal(await page.evaluate(() => document.documentElement.className), 'dark');
    await close();
  });

  // rows: S-141 S-430
  test('no address holds a token, and the official client makes every call', async () => {
    const { page, close } = await openPage({ viewport: phone, colorScheme: 'light' });
    const strangers = [];
    const telling = [];
    const token = /[?&#](access_token|refresh_token|token|token_hash|code)=|eyJ[\w-]{20}/;
    page.on('framenavigated', (frame) => {
      if (token.test(frame.url())) telling.push(frame.url());
    });
    page.on('request', (request) => {
      if (token.test(request.url())) telling.push(request.url());
      if (!api.test(request.url()) || request.method() === 'OPTIONS') return;
      if (!/^supabase-js/.test(request.headers()['x-client-info'] ?? '')) strangers.push(request.url());
    });
    await signInAnew(page, inboxURL);
    for (const path of ['/profile', '/subscription', '/lesson-plan'])
      await page.goto(path, { waitUntil: 'networkidle' });
    assert.deepEqual(telling, []);
    assert.deepEqual(strangers, []);
    await close();
  });
});

/** How often the screen changed without showing text, within so many milliseconds. */
function timesLost(page, text, milliseconds) {
  return page.evaluate(
    ([sought, time]) =>
      new Promise((resolve) => {
        let times = 0;
        const observer = new window.MutationObserver(() => {
          if (!document.body.textContent.includes(sought)) times += 1;
        });
        observer.observe(document.body, { subtree: true, childList: true, characterData: true });
        window.setTimeout(() => {
          observer.disconnect();
          resolve(times);
        }, time);
      }),
    [text, milliseconds],
  );
}

/** Presses Download and waits until the document is there, as a file and on the screen. */
async function saveDocument(page) {
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: /^Download/ }).click();
  await download;
  await page.getByRole('heading', { name: 'Your question paper' }).waitFor();
}

/**
 * The milliseconds from a press until the screen
 * changes, and until the button shows that it is busy.
 */
async function reactionTo(page, button, busyText) {
  await page.evaluate((text) => {
    const press = { begin: 0 };
    document.addEventListener('click', (event) => (press.begin = event.timeStamp), {
      capture: true,
      once: true,
    });
    window.reaction = new Promise((resolve) => {
      const times = {};
      const observer = new window.MutationObserver(() => {
        if (press.begin === 0) return;
        const after = Math.round(window.performance.now() - press.begin);
        times.first ??= after;
        if (!document.body.textContent.includes(text)) return;
        observer.disconnect();
        resolve({ ...times, busy: after });
      });
      observer.observe(document.body, {
        subtree: true,
        childList: true,
        attributes: true,
        characterData: true,
      });
    });
  }, busyText);
  await button.click();
  return page.evaluate(() => window.reaction);
}
