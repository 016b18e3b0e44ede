/**
 * Measures how fast the application appears. It reports the performance score of Lighthouse (mobile
 * preset, median of RUNS, 5 by default). It also reports the seconds until `/` shows text, and from
 * then until its link has led on, at 400 kbit/s, 400 ms and a CPU slowed down four times. It fails
 * below 95 and above 5 s (SPECIFICATION.md D34, D35). Lighthouse slows down whatever processor
 * there is, so its benchmark index (1,500 to 2,000 on a desktop) stands beside each score.
 */
import { launch, openPage, phone } from './support/browser.mjs';
import { baseURL, inboxURL } from './support/env.mjs';
import { openAuditor } from './support/lighthouse.mjs';
import { signInAnew } from './support/sign-in.mjs';
import { slowDown } from './support/slow-network.mjs';

const runs = Number(process.env.RUNS ?? 5);
const leastScore = 95;
const mostSeconds = 5;

const auditor = await openAuditor(baseURL);
for (const path of ['/', '/auth']) await bench(path);
await signInAnew(auditor.page, inboxURL);
for (const path of ['/home', '/question-paper']) await bench(path);
await auditor.close();
await benchSlowNetwork();

async function bench(path) {
  const results = [];
  for (let run = 0; run < runs; run += 1) results.push(await auditor.audit(path, ['performance']));
  results.sort((one, other) => score(one) - score(other));
  const median = results[Math.floor(runs / 2)];
  const seen = [
    'first-contentful-paint',
    'largest-contentful-paint',
    'total-blocking-time',
    'cumulative-layout-shift',
  ]
    .map((id) => `${id} ${median.audits[id].displayValue}`)
    .join(', ');
  const index = Math.round(median.environment.benchmarkIndex);
  report(
    score(median) >= leastScore,
    `${path}: performance ${score(median)} (${seen}, benchmark index ${index})`,
  );
}

function score(lhr) {
  return Math.round(lhr.categories.performance.score * 100);
}

async function benchSlowNetwork() {
  const browser = await launch();
  const { page } = await openPage(browser, { viewport: phone, colorScheme: 'light', baseURL });
  await slowDown(page);
  const text = await secondsOf(async () => {
    await page.goto('/', { waitUntil: 'commit' });
    await page.getByRole('heading', { level: 1 }).waitFor();
  });
  const next = await secondsOf(async () => {
    await page.getByRole('link', { name: 'FAQs' }).click({ noWaitAfter: true });
    await page.getByRole('heading', { level: 1, name: 'Frequently asked questions' }).waitFor();
  });
  await browser.close();
  report(
    Math.max(text, next) <= mostSeconds,
    `/ on a slow network: text after ${text.toFixed(1)} s, and its link leads on within ${next.toFixed(1)} s`,
  );
}

async function secondsOf(run) {
  const begin = Date.now();
  await run();
  return (Date.now() - begin) / 1_000;
}

function report(good, line) {
  if (!good) process.exitCode = 1;
  process.stdout.write(`${good ? 'ok  ' : 'SLOW'} ${line}\n`);
}
