import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { textOf } from '@/lib/unknown-fields';
import { type FakeApi, FakeWallet, json } from '@/test/fake-api';
import { forgetTransfers, lastTransfer, pdf, transfers } from '@/test/fake-transfers';
import { teacher } from '@/test/show-route';
import { download, generate, generationsOf, plansAreMade, show, start } from '@/test/lesson-plan-screen';

vi.mock('@/builder/api/send-sample', () => import('@/test/fake-transfers'));

let api: FakeApi;
let wallet: FakeWallet;

const remembered = () => localStorage.getItem(`sample.generate-lesson-plan.${teacher.id}`);
const field = () => screen.getByLabelText(/^Sample lesson/);
const sampleOf = (body: unknown) => textOf(body, 'referencePlanUrl');

beforeEach(() => {
  localStorage.clear();
  forgetTransfers();
  ({ api } = plansAreMade());
  api.on('DELETE /storage/v1/object/samples', () => json([]));
  wallet = new FakeWallet(api, 40);
});

/** What stands below the field. */
function told() {
  const box = field().closest<HTMLElement>('fieldset > div') ?? document.body;
  return within(within(box).getByRole('status'));
}

async function pick(file = pdf()) {
  const person = userEvent.setup({ applyAccept: false });
  await person.upload(field(), file);
  return person;
}

async function upload() {
  const person = await pick();
  await screen.findByRole('progressbar');
  await waitFor(() => {
    expect(transfers).not.toHaveLength(0);
  });
  lastTransfer().end('uploaded');
  await screen.findByText('File uploaded successfully');
  return person;
}

describe('the sample of a lesson plan', { timeout: 20_000 }, () => {
  // rows: S-189 S-414
  test('a file that is no PDF or DOCX, or too large, is refused at once', async () => {
    show();
    await pick(new File(['x'], 'plan.txt', { type: 'text/plain' }));
    expect(await screen.findByText('Invalid file type')).toBeInTheDocument();
    expect(told().getByText('Please upload a PDF or DOCX file')).toBeInTheDocument();
    await pick(new File(['x'], 'old.doc', { type: 'application/msword' }));
    expect(told().getByText(/^This is an old Word file\. Save it as DOCX/)).toBeInTheDocument();
    await pick(pdf('plan.pdf', 10_000_001));
    expect(told().getByText('Please choose a file of at most 10 MB')).toBeInTheDocument();
    expect(transfers).toHaveLength(0);
  });

  // rows: S-189 S-204
  test('a picked file is uploaded at once, with its progress', async () => {
    show();
    expect(screen.getByText(/^The document follows its headings as far/)).toBeInTheDocument();
    await pick();
    const progress = await screen.findByRole('progressbar', { name: 'Upload of the sample' });
    await waitFor(() => {
      expect(transfers).toHaveLength(1);
    });
    act(() => {
      lastTransfer().onProgress(1_200_000);
    });
    await waitFor(() => {
      expect(progress).toHaveAttribute('aria-valuetext', '1.2 of 4.8 MB');
    });
    act(() => {
      lastTransfer().onWaiting('lost');
    });
    expect(await screen.findByText(/^No connection/)).toBeInTheDocument();
    act(() => {
      lastTransfer().onWaiting('busy');
    });
    expect(await screen.findByText(/^The server is busy/)).toBeInTheDocument();
    lastTransfer().end('uploaded');
    expect(await screen.findByText('File uploaded successfully')).toBeInTheDocument();
    expect(screen.getByText('plan.pdf')).toBeInTheDocument();
    expect(screen.queryByRole('progressbar')).toBeNull();
  });

  // rows: S-204
  test('Cancel ends the upload and returns the focus to the field', async () => {
    show();
    const person = await pick();
    await person.click(await screen.findByRole('button', { name: 'Cancel the upload' }));
    expect(screen.queryByText('plan.pdf')).toBeNull();
    expect(screen.queryByRole('progressbar')).toBeNull();
    expect(field()).toHaveFocus();
  });

  // rows: S-195 S-204
  test('a press waits for the upload and sends the name of the object', async () => {
    const person = show();
    await start(person);
    await pick();
    await person.click(download());
    expect(await screen.findByText('Waiting until the sample is uploaded')).toBeInTheDocument();
    expect(download()).toBeDisabled();
    expect(wallet.writes).toEqual([]);
    lastTransfer().end('uploaded');
    await screen.findByText('Lesson Plans Generated!');
    expect(generationsOf(api).map((call) => sampleOf(call.body))).toEqual([lastTransfer().object]);
  });

  // rows: S-204
  test('a press that waits can be called off, and the upload goes on', async () => {
    const person = show();
    await start(person);
    await pick();
    await person.click(download());
    await person.click(await screen.findByRole('button', { name: 'Cancel' }));
    expect(screen.queryByText('Waiting until the sample is uploaded')).toBeNull();
    expect(screen.getByRole('progressbar')).toBeInTheDocument();
    lastTransfer().end('uploaded');
    await screen.findByText('File uploaded successfully');
    expect(generationsOf(api)).toEqual([]);
  });

  // rows: S-204
  test('without its sample nothing is generated until it is uploaded or removed', async () => {
    const person = show();
    await start(person);
    await pick();
    await waitFor(() => {
      expect(transfers).toHaveLength(1);
    });
    lastTransfer().end('lost');
    expect(await screen.findByText(/^The connection was lost\. Try again/)).toBeInTheDocument();
    await person.click(download());
    expect(await screen.findByText('The sample is not uploaded')).toBeInTheDocument();
    expect(wallet.writes).toEqual([]);
    await person.click(screen.getByRole('button', { name: 'Try Again' }));
    expect(field()).toHaveFocus();
    await waitFor(() => {
      expect(transfers).toHaveLength(2);
    });
    lastTransfer().end('refused');
    await screen.findByText(/^The file was not accepted/);
    await person.click(screen.getByRole('button', { name: 'Remove the sample' }));
    await person.click(download());
    await screen.findByText('Lesson Plans Generated!');
    expect(generationsOf(api).map((call) => sampleOf(call.body))).toEqual(['']);
  });

  // rows: S-204
  test('a paid document without a sample is not the one with a sample', async () => {
    const person = show();
    await start(person);
    await person.click(download());
    await screen.findByText('Lesson Plans Generated!');
    await upload();
    expect(await screen.findByText(/20 credits are taken|costs 20 credits/)).toBeInTheDocument();
    expect(download()).toHaveAccessibleName('Download All Lesson Plans 20 credits');
  });

  // rows: S-204
  test('the field promises nothing until the function has read the sample', async () => {
    const meta = { generator: 'template', language: 'en', coverage: 1, label: 'From the bank.' };
    const sample = { followed: ['Teaching Aids', 'Evaluation'], warning: null };
    api.on(generate, (call) => json(sampleOf(call.body) ? { meta, sample } : { meta }));
    const person = show();
    await upload();
    expect(told().getByText(/^Uploaded\. The file is deleted/)).toBeInTheDocument();
    expect(told().queryByText(/follow/)).toBeNull();
    await start(person);
    const followed = 'The document follows your sample: Teaching Aids, Evaluation';
    expect(await screen.findByText(followed, {}, { timeout: 5_000 })).toBeInTheDocument();
    expect(told().getByText(followed)).toBeInTheDocument();
    // The preview has the same headings.
    expect(await screen.findByText('Teaching Aids')).toBeInTheDocument();
  });

  // rows: S-204
  test('the warning about a sample stands at its field alone', async () => {
    const warning = 'Only 1 of the 3 headings of your sample are known: Aim.';
    const meta = {
      generator: 'template',
      language: 'en',
      coverage: 1,
      label: 'From the bank.',
      warnings: [warning],
    };
    api.on(generate, () => json({ meta, sample: { followed: [], warning } }));
    const person = show();
    await start(person);
    await upload();
    expect(await screen.findByText(warning, {}, { timeout: 5_000 })).toBeInTheDocument();
    expect(told().getByText(warning)).toBeInTheDocument();
    expect(told().queryByText(/^Uploaded/)).toBeNull();
  });

  // rows: S-204
  test('a sample that cannot be read is reported before the charge', async () => {
    api.on(generate, (call) =>
      sampleOf(call.body) ? json({ error: 'Scanned.', code: 'sample_without_text' }, 422) : json({}),
    );
    const person = show();
    await start(person);
    await upload();
    const told = /^The sample looks like a scanned picture/;
    expect(await screen.findByText(told, {}, { timeout: 5_000 })).toBeInTheDocument();
    await person.click(download());
    const toast = (await screen.findByText('Nothing was charged yet')).closest<HTMLElement>('[data-toaster]');
    expect(within(toast ?? document.body).getByText(told)).toBeInTheDocument();
    expect(wallet.writes).toEqual([]);
  });

  // rows: S-204
  test('a sample whose reading the host ends is reported before the charge', async () => {
    const ended = { code: 'WORKER_RESOURCE_LIMIT', message: 'A resource limit was reached.' };
    api.on(generate, (call) => (sampleOf(call.body) ? json(ended, 546) : json({})));
    const person = show();
    await start(person);
    await upload();
    const told = /^The sample is too complicated/;
    expect(await screen.findByText(told, {}, { timeout: 5_000 })).toBeInTheDocument();
    await person.click(download());
    expect(await screen.findByText('Nothing was charged yet')).toBeInTheDocument();
    expect(wallet.writes).toEqual([]);
    expect(generationsOf(api)).toHaveLength(0);
  });

  // rows: S-204 D37
  test('a sample that is gone is reported with what became of the credits', async () => {
    const meta = { generator: 'template', language: 'en', coverage: 1, label: 'From the bank.' };
    api.on(generate, (call) =>
      call.headers.has('Idempotency-Key')
        ? json({ error: 'Gone.', code: 'sample_missing' }, 422)
        : json({ meta }),
    );
    const person = show();
    await start(person);
    await upload();
    await person.click(download());
    expect(await screen.findByText(/^The sample is not there any more/)).toBeInTheDocument();
    await waitFor(() => {
      expect(wallet.coins).toBe(40);
    });
  });

  // rows: S-204
  test('a reload keeps an uploaded sample, and a finished document ends it', async () => {
    const person = show();
    await start(person);
    await upload();
    expect(remembered()).toContain(lastTransfer().object);
    await person.click(download());
    await screen.findByText('Lesson Plans Generated!');
    expect(remembered()).toBeNull();
    expect(screen.getByText('plan.pdf')).toBeInTheDocument();
  });
});
