import { act, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { MemoryRouter, Route, Routes } from 'react-router';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { boards, classes } from '@/lib/curriculum';
import { setLanguage } from '@/lib/i18n';
import { subjects } from '@/lib/options/subjects';
import PublicCommunicationRoute from './public-communication';
import PublicLessonPlanRoute from './public-lesson-plan';
import PublicQuestionPaperRoute from './public-question-paper';
import PublicTeachingAidsRoute from './public-teaching-aids';

const fetch = vi.fn();

beforeEach(() => {
  fetch.mockReset();
  vi.stubGlobal('fetch', fetch);
});

function open(path: string, ...before: string[]) {
  const entries = [...before, path];
  render(
    <MemoryRouter initialEntries={entries} initialIndex={entries.length - 1}>
      <Routes>
        <Route path="/" element={<h1>Start</h1>} />
        <Route path="/auth" element={<h1>Sign in</h1>} />
        <Route path="/public-lesson-plan" element={<PublicLessonPlanRoute />} />
        <Route path="/public-question-paper" element={<PublicQuestionPaperRoute />} />
        <Route path="/public-teaching-aids" element={<PublicTeachingAidsRoute />} />
        <Route path="/public-communication-tool" element={<PublicCommunicationRoute />} />
      </Routes>
    </MemoryRouter>,
  );
  return userEvent.setup();
}

function options(label: string): string[] {
  const select = screen.getByLabelText(label);
  return [...select.querySelectorAll('option')]
    .filter((option) => !option.disabled)
    .map((option) => option.text);
}

const previews = [
  { path: '/public-lesson-plan', title: 'AI Lesson Plan Generator', action: /^Start Plan Builder/ },
  { path: '/public-question-paper', title: 'Create Question Paper', action: /^Start Question Paper Builder/ },
  { path: '/public-teaching-aids', title: 'Teaching Aids', action: /^Start Teaching Aid Builder/ },
  { path: '/public-communication-tool', title: 'Communication Tool', action: /^Generate Communication/ },
];

describe.each(previews)('$path', { timeout: 20_000 }, ({ path, title, action }) => {
  // rows: S-073 S-074
  test('the button leads to /auth, empty or filled, and nothing is sent', async () => {
    const user = open(path);
    expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent(title);
    for (const box of screen.getAllByRole('textbox')) {
      await user.type(box, 'x');
      expect(box).not.toHaveAttribute('name');
    }
    await user.click(screen.getByRole('button', { name: action }));
    expect(screen.getByRole('heading', { name: 'Sign in' })).toBeInTheDocument();
    expect(fetch).not.toHaveBeenCalled();
    expect(localStorage).toHaveLength(0);
    expect(sessionStorage).toHaveLength(0);
  });

  // rows: S-074
  test('nothing is checked before /auth, and required fields say so', async () => {
    const user = open(path);
    expect(document.querySelectorAll('[required]').length).toBeGreaterThanOrEqual(6);
    await user.click(screen.getByRole('button', { name: action }));
    expect(screen.getByRole('heading', { name: 'Sign in' })).toBeInTheDocument();
  });

  // rows: S-089
  test('Back leads to / when there is no page before', async () => {
    const user = open(path);
    await user.click(screen.getByRole('link', { name: 'Back' }));
    expect(screen.getByRole('heading', { name: 'Start' })).toBeInTheDocument();
  });
});

describe('the preview of the lesson plan', { timeout: 20_000 }, () => {
  // rows: S-077 S-078 S-080
  test('the preview has its steps, its sections and the first 20 credits', () => {
    open('/public-lesson-plan');
    const steps = screen.getByRole('list', { name: 'Steps' });
    expect(steps).toHaveTextContent('BoardDetailsGenerate');
    for (const name of ['Basic Information', 'Lesson Plan Details', 'Optional Sample Material']) {
      expect(screen.getByRole('region', { name: new RegExp(name) })).toBeInTheDocument();
    }
    expect(screen.getByText(/first 20 credits/)).toBeInTheDocument();
  });

  // rows: S-081
  test('the fields are those of the builder', () => {
    open('/public-lesson-plan');
    expect(options('Board')).toEqual(boards.map(({ label }) => label));
    expect(options('Class')).toEqual(classes.map(({ label }) => label));
    expect(options('Subject')).toEqual(subjects);
    expect(screen.getByLabelText('Number of periods')).toHaveValue('5');
    for (const name of ['Chapter', 'Book', 'Publisher']) {
      expect(screen.getByRole('textbox', { name })).toBeRequired();
    }
  });

  // rows: S-077
  test('a complete part moves the step on, and the paper follows', async () => {
    const user = open('/public-lesson-plan');
    await user.selectOptions(screen.getByLabelText('Board'), 'CBSE');
    await user.selectOptions(screen.getByLabelText('Class'), 'Class 8');
    await user.selectOptions(screen.getByLabelText('Subject'), 'Science');
    expect(screen.getByText('Details', { selector: 'span' }).closest('li')).toHaveAttribute(
      'aria-current',
      'step',
    );
    await user.type(screen.getByRole('textbox', { name: 'Chapter' }), 'Light');
    const paper = screen.getByRole('region', { name: 'Your plan so far' });
    expect(paper).toHaveTextContent('Science · Class 8');
    expect(paper).toHaveTextContent('Chapter: Light');
    await user.selectOptions(screen.getByLabelText('Number of periods'), '2');
    expect(paper).not.toHaveTextContent('Period 3');
  });

  // rows: S-076
  test('a sample is PDF or DOCX, and other files are ignored', async () => {
    open('/public-lesson-plan');
    const user = userEvent.setup({ applyAccept: false });
    const field = screen.getByLabelText(/^Sample lesson/);
    await user.upload(field, new File(['x'], 'photo.png', { type: 'image/png' }));
    expect(screen.queryByText('photo.png')).toBeNull();
    expect(screen.queryByRole('alert')).toBeNull();
    await user.upload(field, new File(['x'], 'plan.pdf', { type: 'application/pdf' }));
    expect(screen.getByText('plan.pdf')).toBeInTheDocument();
  });
});

// rows: S-082 S-083
test('the preview of the question paper has Back, Home and its defaults', () => {
  open('/public-question-paper');
  expect(screen.getByRole('link', { name: 'Back' })).toBeInTheDocument();
  expect(screen.getAllByRole('link', { name: 'Home' }).at(-1)).toHaveAttribute('href', '/');
  expect(screen.getByLabelText('Total marks')).toHaveValue('100');
  expect(screen.getByLabelText('Time')).toHaveDisplayValue('3 hours');
  expect(screen.getByLabelText('Number of sections')).toHaveValue('4');
  expect(options('Total marks')).toEqual(['20', '25', '50', '75', '80', '100']);
  expect(options('Number of sections')).toEqual(['2', '3', '4', '5', '6']);
  expect(options('Subject')).toHaveLength(21);
  expect(screen.getAllByRole('checkbox').map((box) => box.parentElement?.textContent)).toEqual([
    'MCQ',
    'Fill in the blanks',
    'Match the following',
    'True/False',
    'Very short',
    'Short',
    'Long',
    'Numerical',
  ]);
});

// rows: S-084 S-085 S-086
test('the preview of teaching aids has nine types and its defaults', () => {
  open('/public-teaching-aids');
  expect(options('Aid type')).toEqual([
    'Worksheets',
    'Practice sheets',
    'Flashcards',
    'Activity sheets',
    'Educational games',
    'Quiz',
    'Presentation slide content',
    'Study guides',
    'Assessment rubrics',
  ]);
  expect(screen.getByLabelText('Learning objectives')).toBeRequired();
  expect(screen.getByLabelText('Number of pages')).toBeRequired();
  expect(screen.getByLabelText('Number of pages')).toHaveValue(5);
  expect(screen.getByLabelText('Preferred format')).toHaveDisplayValue('Word Document (.docx)');
});

// rows: S-087 S-088
test('the preview of the communication has no signature, output or email', () => {
  open('/public-communication-tool');
  expect(screen.getByRole('link', { name: 'Back' })).toBeInTheDocument();
  for (const name of [/signature/i, /output/i, /email/i]) {
    expect(screen.queryByLabelText(name)).toBeNull();
  }
  expect(screen.getByRole('radio', { name: 'Formal' })).toBeChecked();
  expect(screen.getByRole('radio', { name: 'PTM message' })).not.toBeChecked();
  expect(screen.getByLabelText('Event date')).toHaveAttribute('type', 'date');
});

describe('in Hindi', () => {
  beforeEach(() => setLanguage('hi'));
  afterEach(() => act(() => setLanguage('en')));

  // rows: S-320
  test.each([
    ['/public-lesson-plan', 'आपकी योजना अब तक', 'गणित · कक्षा 7', 'Class 7'],
    ['/public-question-paper', 'आपका प्रश्न पत्र अब तक', 'गणित · कक्षा 7', 'Class 7'],
    ['/public-teaching-aids', 'आपकी शिक्षण सामग्री अब तक', 'गणित · कक्षा 7', '7th'],
  ])('the paper of %s names subject and class as the form does', async (path, name, heading, grade) => {
    const user = open(path);
    await user.selectOptions(screen.getByLabelText('कक्षा'), grade);
    await user.selectOptions(screen.getByLabelText('विषय'), 'Mathematics');
    expect(screen.getByRole('region', { name })).toHaveTextContent(heading);
  });
});
