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
import { readCode } from './support/inbox.mjs';
import { adminCalls } from './support/stack.mjs';

const baseURL = process.env.BASE_URL;
const inboxURL = process.env.INBOX_URL;
const secretKey = process.env.SECRET_KEY;
const folder = process.env.SCREENSHOTS_DIR ?? 'test-results/pictures';
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
  { name: 'home-buy', path: '/home?buy=credits', dialog: true },
  { name: 'home-buy-upi', path: '/home?buy=credits', act: chooseBasicPack, dialog: true },
  { name: 'lesson-plan', path: '/lesson-plan' },
  { name: 'lesson-plan-refused', path: '/lesson-plan', act: leaveBlank },
  { name: 'lesson-plan-filled', path: '/lesson-plan', act: fillChapter },
  { name: 'lesson-plan-chapters', path: '/lesson-plan', act: openChapters },
  { name: 'lesson-plan-mailed', path: '/lesson-plan', act: mailPlan },
  { name: 'question-paper', path: '/question-paper' },
  { name: 'question-paper-filled', path: '/question-paper', act: fillPaper },
  { name: 'question-paper-finished', path: '/question-paper', act: makePaper },
  { name: 'teaching-aids', path: '/teaching-aids' },
  { name: 'teaching-aids-filled', path: '/teaching-aids', act: fillAids },
  { name: 'teaching-aids-finished', path: '/teaching-aids', act: makeAids },
  { name: 'communication-tool', path: '/communication-tool' },
  { name: 'communication-tool-filled', path: '/communication-tool', act: fillMessage },
  { name: 'communication-tool-finished', path: '/communication-tool', act: makeMessage },
  { name: 'subscription', path: '/subscription' },
  { name: 'subscription-pay', path: '/subscription', act: payPlan, dialog: true },
  { name: 'profile', path: '/profile' },
  { name: 'profile-delete', path: '/profile', act: askToDelete, dialog: true },
  { name: 'settings', path: '/settings' },
];

const adminScreens = [
  { name: 'admin', path: '/admin' },
  { name: 'admin-payments', path: '/admin?view=payments' },
  { name: 'admin-generations', path: '/admin?view=generations' },
  { name: 'home-admin', path: '/home' },
];

/** What a message is about, in the language of the picture. */
const messages = {
  en: [
    'Parents of Class 6',
    'Class teacher',
    'Parent-teacher meeting',
    'Time: 10 a.m. to 12 noon\nPlace: school hall',
  ],
  hi: ['कक्षा 6 के अभिभावक', 'कक्षा शिक्षक', 'अभिभावक बैठक', 'समय: प्रातः 10 बजे\nस्थान: विद्यालय का सभागार'],
};

const browser = await launch();
await mkdir(folder, { recursive: true });
for (const look of looks.filter(({ name }) => !chosenLooks || chosenLooks.includes(name))) {
  for (const language of languages) {
    await take(look, language, visitorScreens, null);
    await take(look, language, signedInScreens, 'teacher');
    await take(look, language, adminScreens, 'admin');
  }
}
await browser.close();

async function take(look, language, screens, role) {
  const wanted = screens
    .filter(({ name }) => !words.length || words.some((word) => name.includes(word)))
    // The posts are in English.
    .filter(({ path }) => language === 'en' || !path.startsWith('/blogs/'));
  if (!wanted.length) return;
  const { page, problems, close } = await openPage(browser, { ...look, baseURL });
  if (role) await signIn(page, role);
  await page.addInitScript((chosen) => localStorage.setItem('language', chosen), language);
  for (const { name, path, act, dialog } of wanted) {
    await page.goto(path, { waitUntil: 'networkidle' });
    await act?.(page, language);
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

async function signIn(page, role) {
  const address = `${role}-${randomUUID().slice(0, 8)}@school.example`;
  await page.goto('/auth');
  await page.getByRole('button', { name: 'Continue with Email OTP' }).click();
  await page.getByLabel('Email address').fill(address);
  await page.getByRole('button', { name: 'Send OTP' }).click();
  await page.getByLabel('6-digit code').fill(await readCode(inboxURL, address));
  await page.getByRole('button', { name: 'Verify' }).click();
  await page.waitForURL('**/home');
  await page.getByRole('link', { name: '20 credits', exact: true }).waitFor();
  const user = await stack.userOf(address);
  await stack.setCoins(user.id, 500);
  if (role === 'admin') await stack.makeAdmin(user.id);
}

async function fillChapter(page) {
  await page.locator('input[name=board]').fill('CBSE');
  await page.locator('select[name=grade]').selectOption('Class 10');
  await page.locator('select[name=subject]').selectOption('Science');
  await page.locator('input[name=chapterName]').fill('Electricity');
  await page.locator('input[name=book]').fill('Science Textbook for Class X');
  await page.locator('input[name=publisher]').fill('NCERT');
}

/** What a form says of a field that was left without anything in it. */
async function leaveBlank(page) {
  for (const name of ['board', 'chapterName', 'book']) {
    await page.locator(`input[name=${name}]`).fill('');
    await page.locator(`input[name=${name}]`).blur();
  }
  await page.locator('[aria-invalid=true]').nth(2).waitFor();
}

/** The list of chapters, as a teacher of Mathematics meets it. */
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

async function fillPaper(page) {
  await fillChapter(page);
  await page.locator('select[name=difficultyLevel]').selectOption('medium');
  for (const type of ['mcq', 'match', 'short', 'numerical', 'long']) {
    await page.locator(`input[name=questionTypes][value=${type}]`).check();
  }
  await page.getByText('[100]').waitFor();
  await page.locator('[role=status] [lang]').waitFor();
}

async function makePaper(page) {
  await fillPaper(page);
  await saveBy(page, page.locator('form button:has(svg)').first());
  await page.locator('[data-print=document] table').first().waitFor();
}

async function fillAids(page) {
  await page.locator('input[name=board]').fill('CBSE');
  await page.locator('input[name=board]').blur();
  await page.locator('select[name=grade]').selectOption({ index: 10 });
  await page.locator('select[name=subject]').selectOption('Science');
  for (const type of ['worksheets', 'games']) {
    await page.locator(`input[name=aidTypes][value=${type}]`).check();
  }
  await page.locator('input[name=chapterName]').fill('Electricity');
  await page.locator('input[name=chapterName]').blur();
  await page.locator('select[name=difficultyLevel]').selectOption({ index: 2 });
  await page.locator('[role=status] [lang]').waitFor();
}

async function makeAids(page) {
  await fillAids(page);
  await saveBy(page, page.locator('form button:has(svg)').first());
}

async function fillMessage(page, language) {
  const [audience, role, purpose, details] = messages[language] ?? messages.en;
  await page.locator('input[name=communicationType]').nth(1).check();
  const fields = { targetAudience: audience, senderRole: role, senderName: 'Asha K', purpose };
  for (const [name, text] of Object.entries(fields)) await page.locator(`input[name=${name}]`).fill(text);
  await page.locator('input[name=eventDate]').fill('2026-12-05');
  await page.locator('textarea[name=keyDetails]').fill(details);
}

async function makeMessage(page, language) {
  await fillMessage(page, language);
  await saveBy(page, page.locator('form button[type=submit]'));
}

/** Presses a button that makes a document and saves it, and waits until the document is shown. */
async function saveBy(page, button) {
  const download = page.waitForEvent('download');
  await button.click();
  await download;
  await page.locator('[data-print=document]').waitFor();
}

/** A preview's controls have no names: nothing of it is ever sent. */
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

async function chooseBasicPack(page) {
  await page.locator('[role=dialog] form button').first().click();
  await page.locator('[role=dialog] svg[role=img]').waitFor();
}

async function payPlan(page) {
  await page.locator('main li section button').last().click();
  await page.locator('[role=dialog] input[type=tel]').fill('9876543210');
  await page.locator('[role=dialog] svg[role=img]').waitFor();
}

async function askToDelete(page) {
  await page.locator('main button').last().click();
  await page.getByRole('dialog').waitFor();
}
