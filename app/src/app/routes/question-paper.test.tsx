import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, test } from 'vitest';
import { FakeApi, FakeWallet, json } from '@/test/fake-api';
import { catchDownloads, showRoute, teacher } from '@/test/show-route';
import QuestionPaperRoute from './question-paper';

const generate = 'POST /functions/v1/generate-question-paper';
const send = 'POST /functions/v1/send-generated-content';
const answer = {
  questionPaper: 'QUESTION PAPER: Electricity',
  wordContent: btoa('{\\rtf1 paper}'),
  filename: 'question-paper.doc',
};
const meta = { generator: 'template', language: 'en', coverage: 1, label: 'From the bank.' };

let api: FakeApi;
let saved: ReturnType<typeof catchDownloads>;

const generations = () => api.callsTo(generate).filter((call) => call.headers.has('Idempotency-Key'));
const download = () => screen.getByRole('button', { name: /^Download/ });
const mail = () => screen.getByRole('button', { name: /^Send to Email/ });

beforeEach(() => {
  saved = catchDownloads();
  api = new FakeApi()
    .on(generate, (call) => json(call.headers.has('Idempotency-Key') ? answer : { meta }))
    .on(send, () => json({ success: true }))
    .on('GET /rest/v1/generations', () => json([]));
});

function show() {
  return showRoute(<QuestionPaperRoute />);
}

function choose(label: string, value: string) {
  fireEvent.change(screen.getByLabelText(label), { target: { value } });
}

function fill() {
  choose('Board', 'CBSE');
  choose('Class', 'Class 10');
  choose('Subject', 'Science');
  choose('Chapter', ' Electricity ');
  choose('Book', 'Science');
  choose('Publisher', 'NCERT');
  choose('Difficulty', 'medium');
}

function tick(name: string) {
  fireEvent.click(screen.getByRole('checkbox', { name }));
}

describe('the question-paper builder', { timeout: 20_000 }, () => {
  test('s206_s212_begins_with_100_marks_3_hours_4_sections_and_no_type', () => {
    new FakeWallet(api, 40);
    show();
    expect(screen.getByLabelText('Total marks')).toHaveValue('100');
    expect(screen.getByLabelText('Time')).toHaveValue('3');
    expect(screen.getByLabelText('Number of sections')).toHaveValue('4');
    expect(screen.getByLabelText('Difficulty')).toHaveValue('');
    expect(screen.queryAllByRole('checkbox', { checked: true })).toEqual([]);
  });

  test('s205_s207_s208_s209_s210_s211_s213_offers_what_is_listed', () => {
    new FakeWallet(api, 40);
    show();
    const texts = (label: string) =>
      within(screen.getByLabelText(label))
        .getAllByRole('option')
        .map(({ textContent }) => textContent);
    expect(texts('Total marks')).toEqual(['20', '25', '50', '75', '80', '100']);
    expect(texts('Time')).toEqual(
      ['1 hour'].concat(['1.5', '2', '2.5', '3', '3.5', '4'].map((hours) => `${hours} hours`)),
    );
    expect(texts('Number of sections')).toEqual(['2', '3', '4', '5', '6']);
    expect(texts('Difficulty').slice(1)).toEqual([
      'Easy (Beginner Level)',
      'Medium (Intermediate Level)',
      'Hard (Advanced Level)',
      'Mixed (Varied Difficulty)',
    ]);
    expect(texts('Subject').slice(-4)).toEqual(['Maths', 'Telugu', 'Marathi', 'Kannada']);
    expect(texts('Subject')).toHaveLength(1 + 21);
    expect(screen.getAllByRole('checkbox').map((box) => box.getAttribute('value'))).toEqual([
      'mcq',
      'fill',
      'match',
      'true-false',
      'very-short',
      'short',
      'long',
      'numerical',
    ]);
  });

  test('s215_enter_in_an_incomplete_form_says_what_is_missing', async () => {
    new FakeWallet(api, 40);
    show();
    fireEvent.submit(screen.getByLabelText('Chapter'));
    expect(
      await screen.findByText('Please fill in all required fields before generating a question paper'),
    ).toBeInTheDocument();
  });

  test('s214_s216_the_buttons_wait_for_every_field_and_one_type', () => {
    new FakeWallet(api, 40);
    show();
    fill();
    expect(download()).toBeDisabled();
    tick('MCQ');
    expect(download()).toBeEnabled();
    expect(mail()).toBeEnabled();
    choose('Publisher', '  ');
    expect(download()).toBeDisabled();
  });

  test('s219_s221_s222_s225_download_deducts_calls_and_saves', async () => {
    const wallet = new FakeWallet(api, 40);
    const { person } = show();
    fill();
    tick('Short');
    tick('MCQ');
    await person.click(download());
    expect(await screen.findByText('Question Paper Generated!')).toBeInTheDocument();
    expect(saved.names).toEqual(['question-paper.doc']);
    expect(wallet.coins).toBe(20);
    expect(generations()[0]?.body).toEqual({
      board: 'CBSE',
      class: 'Class 10',
      subject: 'Science',
      chapter: 'Electricity',
      bookName: 'Science',
      publisher: 'NCERT',
      marks: 100,
      timeHours: 3,
      numberOfSections: 4,
      difficultyLevel: 'medium',
      questionTypes: ['mcq', 'short'],
      referencePaperUrl: '',
    });
    expect(await screen.findByText('QUESTION PAPER: Electricity')).toBeInTheDocument();
    await person.click(screen.getByRole('button', { name: 'Download again' }));
    expect(saved.names).toHaveLength(2);
    expect(wallet.writes).toEqual([20]);
  });

  test('s225_s229_a_paper_without_a_name_or_in_plain_text_is_saved_as_it_is', async () => {
    new FakeWallet(api, 40);
    api.on(generate, () => json({ questionPaper: 'text', wordContent: 'Größe: plain text!' }));
    const { person } = show();
    fill();
    tick('MCQ');
    await person.click(download());
    await screen.findByText('Question Paper Generated!');
    expect(saved.names).toEqual(['question-paper.doc']);
    expect(saved.blobs[0]?.size).toBe(new TextEncoder().encode('Größe: plain text!').length);
  });

  test('s218_too_few_credits_are_told_in_a_toast_that_leads_to_the_purchase', async () => {
    new FakeWallet(api, 7);
    const { person } = show();
    fill();
    tick('MCQ');
    await person.click(download());
    expect(await screen.findByText('Insufficient Coins')).toBeInTheDocument();
    expect(screen.getByRole('alert')).toHaveTextContent(
      'You need 20 coins to generate a question paper. You currently have 7 coins.',
    );
    expect(generations()).toEqual([]);
    await person.click(screen.getByRole('button', { name: 'Buy More Credits' }));
    expect(screen.getByTestId('address')).toHaveTextContent('/home');
    expect(screen.queryByText('Insufficient Coins')).toBeNull();
  });

  test('s219_s223_s227_a_failure_is_told_in_its_own_words_and_the_client_takes_nothing_back', async () => {
    const wallet = new FakeWallet(api, 40);
    api.on(generate, () => json({ error: 'The generator is resting.', code: 'busy' }, 503));
    const { person } = show();
    fill();
    tick('MCQ');
    await person.click(download());
    expect(await screen.findByText('Generation Failed')).toBeInTheDocument();
    expect(screen.getByRole('alert')).toHaveTextContent('The generator is resting.');
    expect(wallet.writes).toEqual([20]);

    api.on(generate, () => json({ ...answer, error: 'Marks do not add up.' }));
    await person.click(download());
    expect(await screen.findByText(/Marks do not add up\./)).toBeInTheDocument();
    expect(saved.names).toEqual([]);
  });

  test('s219_what_the_server_gave_back_is_said', async () => {
    const wallet = new FakeWallet(api, 40);
    api.on(generate, () => {
      wallet.coins = 40;
      return json({ error: 'No.', code: 'busy' }, 503);
    });
    const { person } = show();
    fill();
    tick('MCQ');
    await person.click(download());
    expect(await screen.findByText('No. 20 credits given back.')).toBeInTheDocument();
    expect(wallet.writes).toEqual([20]);
  });

  test('s224_an_answer_without_a_paper_is_a_failure', async () => {
    new FakeWallet(api, 60);
    api.on(generate, () => json({ questionPaper: 'text' }));
    const { person } = show();
    fill();
    tick('MCQ');
    await person.click(download());
    expect(await screen.findByText(/No question paper content received/)).toBeInTheDocument();
    api.on(generate, () => json('nothing'));
    await person.click(download());
    expect(await screen.findByText(/No response received from the server/)).toBeInTheDocument();
  });

  test('s226_s228_mails_the_paper_and_a_failed_mail_is_not_charged_again', async () => {
    const wallet = new FakeWallet(api, 60);
    api.on(send, () => json({ error: 'no' }, 500));
    const { person } = show();
    fill();
    tick('MCQ');
    await person.click(mail());
    expect(await screen.findByText('Email Failed')).toBeInTheDocument();
    api.on(send, () => json({ success: true }));
    await person.click(mail());
    expect(await screen.findByText('Question Paper Sent!')).toBeInTheDocument();
    expect(wallet.writes).toEqual([40]);
    expect(api.callsTo(send)[1]?.body).toEqual({
      email: teacher.email,
      content: 'QUESTION PAPER: Electricity',
      filename: 'question-paper.doc',
      type: 'Question Paper',
      wordContent: answer.wordContent,
    });
  });

  test('s217_a_session_that_is_over_leads_to_sign_in', async () => {
    new FakeWallet(api, 40);
    api.on(generate, () => json({ error: 'Please sign in again.', code: 'unauthorized' }, 401));
    const { person, signOut } = show();
    fill();
    tick('MCQ');
    await person.click(download());
    expect(await screen.findByText('Authentication Required')).toBeInTheDocument();
    expect(screen.getByText(/^Please sign in to generate question papers\. /)).toBeInTheDocument();
    expect(signOut).toHaveBeenCalledOnce();
  });

  test('s220_a_sample_must_be_pdf_or_docx', async () => {
    new FakeWallet(api, 20);
    show();
    const person = userEvent.setup({ applyAccept: false });
    const field = screen.getByLabelText(/^Sample paper/);
    await person.upload(field, new File(['x'], 'paper.txt', { type: 'text/plain' }));
    expect(await screen.findByText('Please upload a PDF or DOCX file')).toBeInTheDocument();
    await person.upload(field, new File(['x'], 'paper.pdf', { type: 'application/pdf' }));
    expect(await screen.findByText('File uploaded successfully')).toBeInTheDocument();
  });

  test('d24_the_marks_plan_adds_up_before_anything_is_paid', async () => {
    const wallet = new FakeWallet(api, 40);
    show();
    choose('Board', 'ICSE');
    choose('Class', 'Class 10');
    choose('Total marks', '20');
    choose('Number of sections', '2');
    choose('Difficulty', 'easy');
    tick('MCQ');
    tick('Short');
    expect(await screen.findByText('11 × 1 = 11')).toBeInTheDocument();
    expect(screen.getByText('3 × 3 = 9')).toBeInTheDocument();
    expect(screen.getByText('Short (any 3)')).toBeInTheDocument();
    const preview = screen.getByRole('region', { name: 'Preview' });
    expect(preview).toHaveTextContent('SECTION A[11]SECTION B[9]');
    expect(wallet.writes).toEqual([]);
    expect(api.callsTo(generate)).toEqual([]);
  });

  /** As the function tells it: one chapter is known in English only, another not at all. */
  function estimate(call: { body: unknown }) {
    const known = JSON.stringify(call.body).includes('विद्युत');
    const told = known ? { language: 'en', standIn: 'chapter' } : { language: 'hi', coverage: 0.1 };
    return json({ meta: { ...meta, ...told } });
  }

  test('the_preview_has_the_language_of_the_document_and_the_form_names_it', async () => {
    new FakeWallet(api, 40);
    api.on(generate, estimate);
    show();
    const preview = screen.getByRole('region', { name: 'Preview' });
    choose('Chapter', 'हमारा पर्यावरण');
    await waitFor(() => {
      expect(preview).toHaveTextContent('पूर्णांक: 100');
    });
    expect(preview).toHaveTextContent('खंड – A');
    expect(preview).toHaveAttribute('lang', 'hi');
    expect(screen.getByText(/^Language of the document: Hindi\. It follows the letters/)).toBeInTheDocument();
    fill();
    choose('Chapter', 'विद्युत');
    tick('MCQ');
    // Below the chapter, and once more beside the price.
    await waitFor(() => {
      expect(screen.getAllByText(/^Language of the document: English\. The built-in bank/)).toHaveLength(2);
    });
    await waitFor(() => {
      expect(preview).toHaveTextContent('Maximum Marks: 100');
    });
    tick('Short');
    expect(screen.getAllByText(/in English only/)).not.toHaveLength(0);
  });

  test('d04_blanks_are_warned_of_before_the_charge_with_what_to_do', async () => {
    const wallet = new FakeWallet(api, 40);
    api.on(generate, estimate);
    show();
    fill();
    choose('Chapter', 'हमारा पर्यावरण');
    tick('MCQ');
    expect(
      await screen.findByText(/^This chapter is not in the built-in bank: most lines/),
    ).toBeInTheDocument();
    expect(screen.getByText(/^Before you pay: choose the chapter from the list/)).toBeInTheDocument();
    fireEvent.change(screen.getByRole('combobox', { name: 'Chapter' }), { target: { value: 'विद्युत' } });
    expect(await screen.findByText(meta.label)).toBeInTheDocument();
    expect(screen.queryByText(/^This chapter is not in the built-in bank/)).toBeNull();
    expect(wallet.writes).toEqual([]);
  });

  test('the_bar_says_what_is_missing', () => {
    new FakeWallet(api, 40);
    show();
    const missing = () => screen.queryByText(/^Still missing:/)?.textContent;
    expect(missing()).toBe(
      'Still missing: Board, Class, Subject, Chapter, Book, Publisher, Difficulty, Question types',
    );
    fill();
    expect(missing()).toBe('Still missing: Question types');
    tick('MCQ');
    expect(missing()).toBeUndefined();
  });

  test('d08_papers_of_the_last_24_hours_are_saved_again_for_nothing', async () => {
    const wallet = new FakeWallet(api, 40);
    const row = {
      id: 'g1',
      finished_at: '2026-11-21T10:30:00Z',
      title: 'QUESTION PAPER: Light',
      filename: 'x.doc',
    };
    api.on('GET /rest/v1/generations', (call) => json(call.query.has('id') ? { result: answer } : [row]));
    const { person } = show();
    await person.click(await screen.findByRole('button', { name: 'Save again: QUESTION PAPER: Light' }));
    await waitFor(() => {
      expect(saved.names).toEqual(['question-paper.doc']);
    });
    expect(screen.getByText('21-11-2026, 16:00')).toBeInTheDocument();
    expect(wallet.writes).toEqual([]);
    expect(generations()).toEqual([]);
  });

  test('a_form_that_was_left_is_found_again_until_its_paper_is_made', async () => {
    new FakeWallet(api, 40);
    localStorage.setItem(
      `draft.generate-question-paper.${teacher.id}`,
      JSON.stringify({ board: 'CBSE', marks: '20', questionTypes: ['mcq'] }),
    );
    const { person } = show();
    expect(screen.getByLabelText('Board')).toHaveValue('CBSE');
    expect(screen.getByLabelText('Total marks')).toHaveValue('20');
    expect(screen.getByRole('checkbox', { name: 'MCQ' })).toBeChecked();
    fill();
    expect(localStorage.getItem(`draft.generate-question-paper.${teacher.id}`)).toContain('Electricity');
    await person.click(download());
    await screen.findByText('Question Paper Generated!');
    expect(localStorage.getItem(`draft.generate-question-paper.${teacher.id}`)).toBeNull();
  });
});
