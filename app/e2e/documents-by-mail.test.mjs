/**
 * All four builders through download and email. The saved
 * file is the file that arrives, and it is charged once.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { phone, useBrowser } from './support/browser.mjs';
import { newAccount } from './support/client.mjs';
import { baseURL, inboxURL, secretKey } from './support/env.mjs';
import { fillAids, fillCommunication, fillLessonPlan, fillPaper } from './support/forms.mjs';
import { countMails, readMail } from './support/inbox.mjs';
import { signInAnew } from './support/sign-in.mjs';
import { adminCalls } from './support/stack.mjs';

const stack = adminCalls(baseURL, secretKey);

const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const builders = [
  {
    path: '/lesson-plan',
    fill: fillLessonPlan,
    download: /^Download All Lesson Plans/,
    kind: 'Lesson Plan',
    sent: 'Lesson Plans Sent!',
    type: 'application/rtf',
    asks: 'board bookName chapter class periods publisher referencePlanUrl subject',
    reads: 'docContent filename lessonPlan',
  },
  {
    path: '/question-paper',
    fill: fillPaper,
    download: /^Download/,
    kind: 'Question Paper',
    sent: 'Question Paper Sent!',
    type: 'application/msword',
    asks: `board bookName chapter class difficultyLevel marks numberOfSections publisher questionTypes referencePaperUrl
      subject timeHours`,
    reads: 'filename questionPaper wordContent',
  },
  {
    path: '/teaching-aids',
    fill: fillAids,
    download: /^Download/,
    kind: 'Teaching Aids',
    sent: 'Your teaching aids have been generated and sent to your email.',
    type: docx,
    asks: `aidTypes board chapterName difficultyLevel grade learningObjectives numberOfPages preferredFormat subject`,
    reads: 'documentContent filename success teachingAids',
    headings: ['Teaching Aids: Electricity', 'Worksheet', 'FOR THE TEACHER: ANSWERS AND NOTES'],
  },
  {
    path: '/communication-tool',
    fill: fillCommunication,
    download: /^Generate Communication/,
    kind: 'Communication',
    sent: 'Communication Sent!',
    type: 'application/rtf',
    asks: `communicationType eventDate keyDetails outputType purpose schoolName senderName senderRole signature
      targetAudience tone`,
    reads: 'documentContent filename generatedCommunication',
  },
];

describe('a finished document', { timeout: 180_000 }, () => {
  const openPage = useBrowser(baseURL);

  // rows: S-004 S-188 S-199 S-226 S-241 S-249 S-250 S-273 S-274 S-386 S-387 S-388 S-389 S-390
  // rows: S-394
  test('every builder saves a document, then mails it, and charges once', async () => {
    const { page, problems, close } = await openPage({ viewport: phone, colorScheme: 'light' });
    const address = await signInAnew(page, inboxURL);
    const { id } = await stack.userOf(address);
    for (const { path, fill, download, kind, sent, type, asks, reads, headings = [] } of builders) {
      await stack.setCoins(id, 40);
      await page.goto(path);
      await page.getByRole('link', { name: '40 credits', exact: true }).waitFor();
      await fill(page);
      const saving = page.waitForEvent('download', { timeout: 60_000 });
      const generated = page.waitForResponse(isGeneration, { timeout: 60_000 });
      await page.getByRole('button', { name: download }).click();
      const saved = await saving;
      const call = await generated;
      assert.deepEqual(
        Object.keys(call.request().postDataJSON()).sort(),
        asks.split(/\s+/),
        `${kind}: the body`,
      );
      const answer = await call.json();
      for (const field of reads.split(' ')) assert.ok(answer[field], `${kind}: the answer has ${field}`);
      for (const name of headings) await page.getByRole('heading', { level: 3, name }).first().waitFor();
      await page.getByRole('link', { name: '20 credits', exact: true }).waitFor();

      const answered = page.waitForResponse('**/functions/v1/send-generated-content');
      await mailIt(page, path);
      assert.deepEqual(await (await answered).json(), { success: true });
      await page.getByText(sent).waitFor();
      await page.getByText(`Sent to ${address}`).waitFor();
      const mail = await readMail(inboxURL, address, `${kind}: `);
      assert.equal(mail.Subject, `${kind}: ${saved.suggestedFilename()}`);
      assert.deepEqual(
        mail.To.map(({ Address }) => Address),
        [address],
      );
      assert.equal(mail.files.length, 1);
      const [file] = mail.files;
      assert.equal(file.name, saved.suggestedFilename());
      assert.equal(file.type.split(';')[0], type);
      assert.deepEqual(file.content, await readFile(await saved.path()), `the ${kind} that was saved`);
      assert.match(mail.Text, /Please review it before use/);
      await page.getByRole('link', { name: '20 credits', exact: true }).waitFor();
    }
    assert.deepEqual(problems, []);
    await close();
  });

  // rows: S-402
  test('two documents made at once in two tabs are each charged and made', async () => {
    const { page, problems, close } = await openPage({ viewport: phone, colorScheme: 'light' });
    const { id } = await stack.userOf(await signInAnew(page, inboxURL));
    await stack.setCoins(id, 40);
    const other = await page.context().newPage();
    for (const [tab, { path, fill }] of [
      [page, builders[1]],
      [other, builders[2]],
    ]) {
      await tab.goto(path);
      await tab.getByRole('link', { name: '40 credits', exact: true }).waitFor();
      await fill(tab);
      await tab.getByText('The document will say of itself:').waitFor();
    }
    const tabs = [page, other];
    const saving = tabs.map((tab) => tab.waitForEvent('download', { timeout: 60_000 }));
    await Promise.all(tabs.map((tab) => tab.getByRole('button', { name: /^Download/ }).click()));
    await Promise.all(saving);
    const [{ coins }] = await (await stack.call(`/rest/v1/profiles?user_id=eq.${id}`)).json();
    assert.equal(coins, 0);
    const made = await (await stack.call(`/rest/v1/generations?user_id=eq.${id}&select=tool,status`)).json();
    assert.deepEqual(made.map(({ tool, status }) => `${tool} ${status}`).sort(), [
      'generate-question-paper finished',
      'generate-teaching-aids finished',
    ]);
    assert.deepEqual(problems, []);
    await close();
  });

  // rows: S-199 S-201
  test('a document is mailed at once, and a failed mail is reported', async () => {
    const { page, problems, close } = await openPage({ viewport: phone, colorScheme: 'light' });
    const address = await signInAnew(page, inboxURL);
    await page.goto('/lesson-plan');
    await fillLessonPlan(page);
    const refusal = {
      success: false,
      error: 'The service is busy. Please try again in a minute.',
      code: 'busy',
    };
    const busy = (route) => route.fulfill({ status: 503, json: refusal });
    await page.route('**/functions/v1/send-generated-content', busy);
    await page.getByRole('button', { name: /^Send to Email/ }).click();
    await page.getByText(`Not sent by email. ${refusal.error}`).waitFor();
    await page.getByText('generated but failed to send email; please try downloading instead').waitFor();
    await page.getByRole('link', { name: '0 credits', exact: true }).waitFor();

    await page.unroute('**/functions/v1/send-generated-content', busy);
    await page.getByRole('button', { name: /^Send to Email/ }).click();
    await page.getByText(`Sent to ${address}`).waitFor();
    const [file] = (await readMail(inboxURL, address, 'Lesson Plan: ')).files;
    assert.match(file.content.toString('latin1'), /^\{\\rtf1/);
    await page.getByRole('button', { name: /^Send to Email/ }).click();
    await page.getByText('Lesson Plans Sent!').waitFor();
    assert.equal(
      await countMails(inboxURL, address, 'Lesson Plan: '),
      1,
      'pressed again it is the same mail',
    );
    await page.getByRole('link', { name: '0 credits', exact: true }).waitFor();
    assert.deepEqual(problems, []);
    await close();
  });
});

describe('the mail functions', { timeout: 60_000 }, () => {
  // rows: S-391 S-393 S-394
  test('documents go to their own user and news of credits needs an administrator', async () => {
    const asha = await newAccount('asha');
    const ravi = await newAccount('ravi');
    const admin = await newAccount('admin');
    await stack.makeAdmin(admin.id);
    const document = {
      email: ravi.email,
      type: 'Lesson Plan',
      filename: 'plan.rtf',
      content: 'LESSON PLAN',
      documentContent: Buffer.from('{\\rtf1 plan}').toString('base64'),
    };
    const sent = await asha.supabase.functions.invoke('send-generated-content', { body: document });
    assert.deepEqual(sent.data, { success: true });
    await readMail(inboxURL, asha.email, 'Lesson Plan: plan.rtf');
    assert.equal(await countMails(inboxURL, ravi.email, 'Lesson Plan: '), 0);

    const news = { body: { email: ravi.email, newCreditAmount: 60 } };
    const refused = await asha.supabase.functions.invoke('send-credit-notification', news);
    assert.equal(refused.error.context.status, 403);
    assert.equal(await countMails(inboxURL, ravi.email, 'Your Shikshak Saathi credits'), 0);
    const told = await admin.supabase.functions.invoke('send-credit-notification', news);
    assert.deepEqual(told.data, { success: true });
    const { Text } = await readMail(inboxURL, ravi.email, 'Your Shikshak Saathi credits: 60');
    assert.match(Text, /You now have 60 credits/);
  });
});

/** A generation, not the dry run before it. */
function isGeneration(response) {
  const request = response.request();
  return /\/functions\/v1\/generate-/.test(request.url()) && request.postDataJSON()?.dryRun === undefined;
}

/** The communication has one button, and its output is chosen beside it. */
async function mailIt(page, path) {
  if (path === '/communication-tool') {
    await page.getByLabel('Send to my email').check();
    await page.getByRole('button', { name: /^Generate Communication/ }).click();
  } else {
    await page.getByRole('button', { name: /^Send to Email/ }).click();
  }
}
