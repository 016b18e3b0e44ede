import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, test } from 'vitest';
import { pagesOf } from '@/features/teaching-aids/form';
import { FakeApi, FakeWallet, deferredResponse, json } from '@/test/fake-api';
import { catchDownloads, showRoute, teacher } from '@/test/show-route';
import TeachingAidsRoute from './teaching-aids';

const generate = 'POST /functions/v1/generate-teaching-aids';
const send = 'POST /functions/v1/send-generated-content';
const answer = {
  success: true,
  teachingAids: 'WORKSHEET: Light',
  filename: 'teaching-aids.docx',
  documentContent: btoa('PK'),
};

const meta = { generator: 'template', language: 'en', coverage: 1, label: 'From the bank.' };

let api: FakeApi;
let saved: ReturnType<typeof catchDownloads>;

const generations = () => api.callsTo(generate).filter((call) => call.headers.has('Idempotency-Key'));
const download = () => screen.getByRole('button', { name: /^Download/ });

beforeEach(() => {
  saved = catchDownloads();
  api = new FakeApi()
    .on(generate, (call) => (call.headers.has('Idempotency-Key') ? json(answer) : json({ meta })))
    .on(send, () => json({ success: true }))
    .on('GET /rest/v1/generations', () => json([]));
});

function choose(label: string | RegExp, value: string) {
  fireEvent.change(screen.getByLabelText(label), { target: { value } });
}

function fill() {
  choose('Board', 'NCERT');
  choose('Class', '7th');
  choose('Subject', 'Science');
  choose('Chapter', ' Light ');
  choose('Difficulty', 'Easy');
  fireEvent.click(screen.getByRole('checkbox', { name: 'Games' }));
  fireEvent.click(screen.getByRole('checkbox', { name: 'Worksheets' }));
}

describe('the teaching-aids builder', { timeout: 20_000 }, () => {
  // rows: S-230 S-237 S-240
  test('the builder has its header, defaults and note', () => {
    new FakeWallet(api, 40);
    showRoute(<TeachingAidsRoute />);
    expect(screen.getByRole('button', { name: 'Logout' })).toBeInTheDocument();
    expect(screen.getByLabelText('Preferred format')).toHaveDisplayValue('Word Document (.docx)');
    expect(screen.getByText('Generating teaching aids costs 20 credits')).toBeInTheDocument();
  });

  // rows: S-231 S-232 S-233 S-234 S-235 S-236
  test('the form offers the listed options', () => {
    new FakeWallet(api, 40);
    showRoute(<TeachingAidsRoute />);
    const values = (label: string) =>
      within(screen.getByLabelText(label))
        .getAllByRole<HTMLOptionElement>('option')
        .map(({ value }) => value)
        .filter(Boolean);
    fireEvent.click(screen.getByLabelText('Board'));
    expect(
      screen
        .getAllByRole('option')
        .map(({ textContent }) => textContent)
        .slice(0, 6),
    ).toEqual(['CBSE', 'ICSE', 'NCERT', 'State Board', 'IB', 'Cambridge']);
    expect(values('Class').slice(0, 4)).toEqual(['1st', '2nd', '3rd', '4th']);
    expect(values('Subject')).toHaveLength(12);
    expect(values('Difficulty')).toEqual(['Easy', 'Medium', 'Hard']);
    expect(screen.getAllByRole('checkbox').map((box) => box.getAttribute('value'))).toEqual([
      'worksheets',
      'practice-sheets',
      'interactive-activities',
      'games',
    ]);
    for (const name of ['Worksheets', 'Practice sheets', 'Interactive activities', 'Games']) {
      expect(screen.getByRole('checkbox', { name })).toBeInTheDocument();
    }
    expect(screen.getByLabelText('Number of pages')).toHaveAttribute('min', '1');
    expect(screen.getByLabelText('Number of pages')).toHaveAttribute('max', '10');
  });

  // rows: S-236
  test('blank or wrong pages count as three', () => {
    expect(['', '0', '11', '2.5', 'x'].map(pagesOf)).toEqual([3, 3, 3, 3, 3]);
    expect(['1', ' 7 ', '10'].map(pagesOf)).toEqual([1, 7, 10]);
  });

  // rows: S-242
  test('Enter in an incomplete form says what is missing', async () => {
    new FakeWallet(api, 40);
    showRoute(<TeachingAidsRoute />);
    fireEvent.submit(screen.getByLabelText('Chapter'));
    const toast = (await screen.findByText('Incomplete Form')).closest('[data-toaster]');
    expect(toast).toHaveTextContent('Please fill in all required fields');
    expect(generations()).toEqual([]);
  });

  // rows: S-242 S-245 S-247 S-248 S-249
  test('Download deducts with the time, calls and saves', async () => {
    const wallet = new FakeWallet(api, 40);
    const { person } = showRoute(<TeachingAidsRoute />);
    expect(download()).toBeDisabled();
    fill();
    choose('Number of pages', '25');
    fireEvent.blur(screen.getByLabelText('Number of pages'));
    expect(screen.getByLabelText('Number of pages')).toHaveValue(3);
    choose('Number of pages', '');
    choose(/^Learning objectives/, ' Draw a ray diagram ');
    await person.click(download());
    expect(await screen.findByText('Success!')).toBeInTheDocument();
    expect(screen.getByText('Teaching aids generated and downloaded successfully')).toBeInTheDocument();
    expect(saved.names).toEqual(['teaching-aids.docx']);
    expect(wallet.coins).toBe(20);
    const [deduction] = api.callsTo('PATCH /rest/v1/profiles');
    expect(JSON.stringify(deduction?.body)).toMatch(/^{"coins":20,"updated_at":"\d{4}-/);
    expect(generations()[0]?.body).toEqual({
      board: 'NCERT',
      grade: '7th',
      subject: 'Science',
      aidTypes: ['worksheets', 'games'],
      chapterName: 'Light',
      learningObjectives: 'Draw a ray diagram',
      difficultyLevel: 'Easy',
      numberOfPages: 3,
      preferredFormat: 'Word Document (.docx)',
    });
    expect(await screen.findByText('WORKSHEET: Light')).toBeInTheDocument();
  });

  // rows: S-314
  test('a user without notifications gets the document without a toast', async () => {
    localStorage.setItem('notifications', 'false');
    new FakeWallet(api, 40);
    const { person } = showRoute(<TeachingAidsRoute />);
    fill();
    await person.click(download());
    expect(await screen.findByText('WORKSHEET: Light')).toBeInTheDocument();
    expect(saved.names).toEqual(['teaching-aids.docx']);
    expect(screen.queryByText('Success!')).toBeNull();
    localStorage.removeItem('notifications');
  });

  // rows: S-241
  test('the pressed button says what it does', async () => {
    new FakeWallet(api, 40);
    const held = deferredResponse();
    const { person } = showRoute(<TeachingAidsRoute />);
    fill();
    api.on(generate, ({ headers }) => (headers.has('Idempotency-Key') ? held.answer : json({ meta })));
    await person.click(screen.getByRole('button', { name: /^Download/ }));
    expect(await screen.findByRole('button', { name: /^Generating\.\.\./ })).toBeDisabled();
    held.give(json({ success: false, error: 'no' }, 500));
    expect(await screen.findByRole('button', { name: /^Download/ })).toBeEnabled();
  });

  // rows: S-250
  test('teaching aids are mailed', async () => {
    new FakeWallet(api, 40);
    const { person } = showRoute(<TeachingAidsRoute />);
    fill();
    await person.click(screen.getByRole('button', { name: /^Send to Email/ }));
    expect(await screen.findByText('Teaching Aids Sent!')).toBeInTheDocument();
    expect(api.callsTo(send)[0]?.body).toMatchObject({
      email: teacher.email,
      type: 'Teaching Aids',
      documentContent: answer.documentContent,
    });
  });

  // rows: S-246 S-251
  test('a failure is shown, and the client takes nothing back', async () => {
    const wallet = new FakeWallet(api, 40);
    api.on(generate, () => json({ success: false }));
    const { person } = showRoute(<TeachingAidsRoute />);
    fill();
    await person.click(download());
    expect(await screen.findByText(/Failed to generate teaching aids/)).toBeInTheDocument();
    await waitFor(() => {
      expect(download()).toBeEnabled();
    });
    api.on(generate, () => json({ success: false, error: 'No worksheet today.' }, 502));
    await person.click(download());
    expect(await screen.findByText(/No worksheet today\./)).toBeInTheDocument();
    // The credits are still reserved for this request, so the second try was not charged again.
    expect(wallet.writes).toEqual([20]);
  });

  // rows: D02
  test('a missing function never got the call, so the client takes the credits back', async () => {
    const wallet = new FakeWallet(api, 40);
    api.on(generate, () => json({ code: 'NOT_FOUND', message: 'Requested function was not found' }, 404));
    const { person } = showRoute(<TeachingAidsRoute />);
    fill();
    await person.click(download());
    expect(
      await screen.findByText('This tool is not available here yet. 20 credits given back.'),
    ).toBeInTheDocument();
    expect(wallet.writes).toEqual([20, 40]);
  });

  // rows: S-244
  test('too few credits open the dialog', async () => {
    new FakeWallet(api, 19);
    const { person } = showRoute(<TeachingAidsRoute />);
    fill();
    await person.click(download());
    const dialog = await screen.findByRole('dialog', { name: 'Not enough credits' });
    expect(dialog).toHaveTextContent('ActivityTeaching AidsRequired credits20Your credits19');
  });

  // rows: S-238 S-239
  test('a sample is picked and not sent', async () => {
    new FakeWallet(api, 40);
    showRoute(<TeachingAidsRoute />);
    const person = userEvent.setup({ applyAccept: false });
    const field = screen.getByLabelText(/^Sample file/);
    await person.upload(field, new File(['x'], 'a.txt', { type: 'text/plain' }));
    expect(await screen.findByText('Please upload a PDF or Word document')).toBeInTheDocument();
    await person.upload(field, new File(['x'], 'a.pdf', { type: 'application/pdf' }));
    expect(await screen.findByText('a.pdf')).toBeInTheDocument();
    fill();
    await person.click(download());
    await screen.findByText('Success!');
    expect(JSON.stringify(generations()[0]?.body)).not.toContain('a.pdf');
  });

  // rows: S-047 S-230 S-243
  test('a visitor fills in the form and is asked to sign in', async () => {
    const { person } = showRoute(<TeachingAidsRoute />, { user: null });
    expect(screen.getByRole('link', { name: 'Sign In to Generate' })).toHaveAttribute('href', '/auth');
    fill();
    await person.click(download());
    const dialog = await screen.findByRole('dialog', { name: 'Sign in required' });
    expect(within(dialog).getByRole('link', { name: 'Go to Sign In' })).toHaveAttribute('href', '/auth');
    await person.click(within(dialog).getByRole('button', { name: 'Cancel' }));
    expect(api.calls).toEqual([]);
  });

  // rows: S-047 S-243
  test('the form of a visitor goes to the user who signs in, and to no other', async () => {
    showRoute(<TeachingAidsRoute />, { user: null });
    fill();
    await waitFor(() => {
      expect(sessionStorage).toHaveLength(1);
    });
    expect(localStorage).toHaveLength(0);
    cleanup();
    new FakeWallet(api, 40);
    showRoute(<TeachingAidsRoute />);
    expect(screen.getByLabelText('Chapter')).toHaveValue(' Light ');
    expect(screen.getByRole('checkbox', { name: 'Games' })).toBeChecked();
    expect(sessionStorage).toHaveLength(0);
    cleanup();
    showRoute(<TeachingAidsRoute />, { user: null });
    expect(screen.getByLabelText('Chapter')).toHaveValue('');
  });
});
