import { mkdir } from 'node:fs/promises';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

export const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const pictures = process.env.SCREENSHOTS_DIR ?? fileURLToPath(new URL('../../test-results', import.meta.url));

export const phone = { width: 360, height: 640 };
export const desktop = { width: 1280, height: 800 };

/** Every look that a screen must be good in: phone and desktop, light and dark. */
export const looks = [phone, desktop].flatMap((viewport) =>
  ['light', 'dark'].map((colorScheme) => ({
    viewport,
    colorScheme,
    name: `${viewport.width}-${colorScheme}`,
  })),
);

/** One browser for the tests of a `describe`; call what is returned to open a page in it. */
export function useBrowser(baseURL) {
  let browser;
  before(async () => {
    browser = await launch();
  });
  after(() => browser?.close());
  return (look) => openPage(browser, { baseURL, ...look });
}

/** Nothing that calls home. `--no-sandbox` is for tests only. */
export const quietly = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export function launch() {
  return chromium.launch({ executablePath, args: quietly });
}

/** A page of its own context that fails the test on script errors and on what the content security policy stops. */
export async function openPage(
  browser,
  { viewport, colorScheme, baseURL, storageState, serviceWorkers = 'block' },
) {
  const context = await browser.newContext({
    baseURL,
    viewport,
    colorScheme,
    storageState,
    locale: 'en-IN',
    timezoneId: 'Asia/Kolkata',
    reducedMotion: 'reduce',
    acceptDownloads: true,
    // It answers before routes of a test can: only the test of the shell itself wants it.
    serviceWorkers,
  });
  const page = await context.newPage();
  const problems = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' && /Content Security Policy|hydrat/i.test(message.text())) {
      problems.push(message.text());
    }
  });
  return { page, problems, close: () => context.close() };
}

/** Keeps a picture for people to look at. */
export async function keepPicture(page, name, { fullPage = false } = {}) {
  await mkdir(pictures, { recursive: true });
  await page.screenshot({ path: `${pictures}/${name}.png`, fullPage });
}
