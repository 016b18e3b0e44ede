/**
 * Pictures of every screen, to be looked at one by one: 360 and 1280 px, light and dark, English and Hindi.
 *
 *     node e2e/pictures.mjs [WORD...]      only those screens whose name contains one of the words
 *
 * BASE_URL, INBOX_URL, SECRET_KEY: the stack. SCREENSHOTS_DIR: where they go. LOOKS=360-light,... LANGUAGES=en,...
 */
import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { launch, looks, openPage } from './support/browser.mjs';
import { adminDialogs, openDialog, teacherDialogs, visitorDialogs } from './support/dialogs.mjs';
import { awaitEstimate, fillAids, fillChapter, fillMessage, fillPaper, messages } from './support/fields.mjs';
import { signInAnew, signInAs } from './support/sign-in.mjs';
import { adminCalls } from './support/stack.mjs';

const baseURL = process.env.BASE_URL;
const inboxURL = process.env.INBOX_URL;
const secretKey = process.env.SECRET_KEY;
const folder = process.env.SCREENSHOTS_DIR ?? 'test-results/pictures';
/** PRODUCT_BLOG_ADMIN of the build under test (supabase/.env). */
const blogAdmin = process.env.PRODUCT_BLOG_ADMIN ?? 'admin@shikshak-saathi.example';
const words = process.argv.slice(2);
const chosenLooks = process.env.LOOKS?.split(',');
const languages = (process.env.LANGUAGES ?? 'en,hi').split(',');
if (!baseURL || !inboxURL || !secretKey) throw new Error('BASE_URL, INBOX_URL and SECRET_KEY name the stack');

const stack = adminCalls(baseURL, secretKey);

const publicScreens = [
  '/',
  '/auth',
  '/about-us',
  '/about',
  '/blogs',
  '/blogs/1',
  '/blogs/7',
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
  '/nowhere',
].map((path) => ({ name: `public-${path === '/' ? 'landing' : path.slice(1).replaceAll('/', '-')}`, path }));

const visitorScreens = [
  ...publicScreens,
  { name: 'public-auth-code', path: '/auth', act: askForCode },
  { name: 'public-communication-filled', path: '/public-communication-tool', act: fillPreview },
  { name: 'teaching-aids-visitor', path: '/teaching-aids' },
];

const signedInScreens = [
  { name: 'home', path: '/home' },
  { name: 'lesson-plan', path: '/lesson-plan' },
  { name: 'lesson-plan-refused', path: '/lesson-plan', act: leaveBlank },
  { name: 'lesson-plan-filled', path: '/lesson-plan', act: fillChapter },
  { name: 'lesson-plan-chapters', path: '/lesson-plan', act: openChapters },
  { name: 'lesson-plan-mailed', path: '/lesson-plan', act: mailPlan },
  { name: 'question-paper', path: '/question-paper' },
  { name: 'question-paper-filled', path: '/question-paper', act: (page) => foretold(page, fillPaper) },
  { name: 'question-paper-finished', path: '/question-paper', act: makePaper },
  { name: 'teaching-aids', path: '/teaching-aids' },
  { name: 'teaching-aids-filled', path: '/teaching-aids', act: (page) => foretold(page, fillAids) },
  { name: 'teaching-aids-finished', path: '/teaching-aids', act: makeAids },
  { name: 'communication-tool', path: '/communication-tool' },
  { name: 'communication-tool-filled', path: '/communication-tool', act: fillMessage },
  { name: 'communication-tool-improper', path: '/communication-tool', act: refuseMessage },
  { name: 'communication-tool-finished', path: '/communication-tool', act: makeMessage },
  { name: 'subscription', path: '/subscription' },
  { name: 'profile', path: '/profile' },
  { name: 'settings', path: '/settings' },
];

const adminScreens = [
  { name: 'admin', path: '/admin' },
  { name: 'admin-payments', path: '/admin?view=payments' },
  { name: 'admin-generations', path: '/admin?view=generations' },
  { name: 'home-admin', path: '/home' },
];

const dialogs = (all) => all.map((dialog) => ({ ...dialog, name: `dialog-${dialog.name}`, dialog }));

const browser = await launch();
await mkdir(folder, { recursive: true });
for (const look of looks.filter(({ name }) => !chosenLooks || chosenLooks.includes(name))) {
  for (const language of languages) {
    await take(look, language, visitorScreens, () => undefined);
    await take(look, language, signedInScreens, (page) => enter(page, 500));
    // One sign-in: a second code for the same address has to wait for a minute.
    await take(look, language, [...adminScreens, ...dialogs(adminDialogs)], enterAsAdmin);
    await take(look, language, dialogs(visitorDialogs), () => undefined);
    await take(look, language, dialogs(teacherDialogs), (page) => enter(page, 0));
  }
}
await browser.close();

async function take(look, language, screens, begin) {
  const wanted = screens
    .filter(({ name }) => !words.length || words.some((word) => name.includes(word)))
    // The posts are in English.
    .filter(({ path }) => language === 'en' || !path.startsWith('/blogs/'));
  if (!wanted.length) return;
  const { page, problems, close } = await openPage(browser, { ...look, baseURL });
  await begin(page);
  await page.addInitScript((chosen) => localStorage.setItem('language', chosen), language);
  for (const { name, path, act, dialog } of wanted) {
    if (dialog) await openDialog(page, dialog);
    else {
      await page.goto(path, { waitUntil: 'networkidle' });
      await act?.(page, language);
    }
    await page.evaluate(() => document.fonts.ready.then(() => undefined));
    await page.waitForFunction(() => !document.querySelector('span.aspect-square:empty'));
    await page.screenshot({
      path: `${folder}/${name}-${language}-${look.name}.png`,
      // A dialog stands in the window, and what lies below it has a picture of its own.
      fullPage: !dialog,
    });
  }
  if (problems.length) process.stdout.write(`${look.name} ${language}: ${problems.join('; ')}\n`);
  await close();
}

async function enter(page, coins) {
  const user = await stack.userOf(await signInAnew(page, inboxURL));
  await stack.setCoins(user.id, coins);
}

/** This user may write posts and has a waiting payment. */
async function enterAsAdmin(page) {
  await signInAs(page, inboxURL, blogAdmin);
  const { id } = await stack.userOf(blogAdmin);
  await stack.makeAdmin(id);
  await stack.reportPayment(id);
}

/** The message of a field that was left empty. */
async function leaveBlank(page) {
  for (const name of ['board', 'chapterName', 'book']) {
    await page.locator(`input[name=${name}]`).fill('');
    await page.locator(`input[name=${name}]`).blur();
  }
  await page.locator('[aria-invalid=true]').nth(2).waitFor();
}

/** The list of chapters, as a teacher of Mathematics sees it. */
async function openChapters(page) {
  await page.locator('select[name=grade]').selectOption('Class 7');
  await page.locator('select[name=subject]').selectOption('Mathematics');
  await page.locator('input[name=chapterName]').fill('');
  await page.locator('input[name=chapterName]').click();
  await page.getByRole('listbox').waitFor();
}

async function mailPlan(page) {
  await fillChapter(page);
  await page.locator('form button[type=submit]').click();
  await page.locator('form button:has(svg.lucide-mail)').click();
  await page.locator('svg.lucide-mail-check').waitFor();
}

async function foretold(page, fill) {
  await fill(page);
  await awaitEstimate(page);
}

async function makePaper(page) {
  await foretold(page, fillPaper);
  await saveBy(page, page.locator('form button:has(svg)').first());
  await page.locator('[data-print=document] table').first().waitFor();
}

async function makeAids(page) {
  await foretold(page, fillAids);
  await saveBy(page, page.locator('form button:has(svg)').first());
}

async function makeMessage(page, language) {
  await fillMessage(page, language);
  await saveBy(page, page.locator('form button[type=submit]'));
}

/** A message that asks for an OTP is refused beside its field. */
async function refuseMessage(page, language) {
  await fillMessage(page, language);
  await page.locator('textarea[name=keyDetails]').fill('Please reply with the OTP that came on your phone.');
  await page.locator('form button[type=submit]').click();
  await page.locator('p[role=alert]').waitFor();
}

/** Presses a button that generates and saves a document, and waits until the document is shown. */
async function saveBy(page, button) {
  const download = page.waitForEvent('download');
  await button.click();
  await download;
  await page.locator('[data-print=document]').waitFor();
}

/** The controls of a preview have no names, because the preview sends nothing. */
async function fillPreview(page, language) {
  const [audience] = messages[language] ?? messages.en;
  await page.locator('form input[type=radio]').first().check();
  await page.locator('form input[maxlength]').nth(1).fill(audience);
  await page.locator('form input[type=date]').fill('2026-12-05');
}

async function askForCode(page) {
  await page.locator('main button').first().click();
  await page.locator('input[type=email]').fill(`asha-${randomUUID().slice(0, 8)}@school.example`);
  await page.locator('form button[type=submit]').click();
  await page.locator('input[autocomplete=one-time-code]').waitFor();
}
