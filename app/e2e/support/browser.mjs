import { mkdir } from 'node:fs/promises';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

export const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const pictures = process.env.SCREENSHOTS_DIR ?? fileURLToPath(new URL('../../test-results', import.meta.url));

export const phone = { width: 360, height: 640 };
export const desktop = { width: 1280, height: 800 };

/** Every combination that a screen must support: phone and desktop, light and dark. */
export const looks = [phone, desktop].flatMap((viewport) =>
  ['light', 'dark'].map((colorScheme) => ({
    viewport,
    colorScheme,
    name: `${viewport.width}-${colorScheme}`,
  })),
);

/** Starts one browser for the tests of a `describe`. The returned function opens a page in it. */
export function useBrowser(baseURL) {
  let browser;
  before(async () => {
    browser = await launch();
  });
  after(() => browser?.close());
  return (look) => openPage(browser, { baseURL, ...look });
}

/** The browser must not call its vendor. `--no-sandbox` is for tests only. */
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

/**
 * Opens a page in its own context. It fails the test on script errors and on what the content
 * security policy stops.
 */
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
    // The service worker answers before the routes of a
    // test can. Only the test of the shell wants it.
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

/** Saves a picture for people to look at. */
export async function keepPicture(page, name, { fullPage = false } = {}) {
  await mkdir(pictures, { recursive: true });
  await page.screenshot({ path: `${pictures}/${name}.png`, fullPage });
}
