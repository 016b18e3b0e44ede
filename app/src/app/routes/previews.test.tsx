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
  test('s073_s074_the_button_goes_to_auth_empty_or_filled_and_nothing_is_sent', async () => {
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

  test('s074_no_check_comes_before_the_way_and_required_fields_say_so', async () => {
    const user = open(path);
    expect(document.querySelectorAll('[required]').length).toBeGreaterThanOrEqual(6);
    await user.click(screen.getByRole('button', { name: action }));
    expect(screen.getByRole('heading', { name: 'Sign in' })).toBeInTheDocument();
  });

  test('s089_back_leads_to_the_start_when_nothing_is_behind', async () => {
    const user = open(path);
    await user.click(screen.getByRole('link', { name: 'Back' }));
    expect(screen.getByRole('heading', { name: 'Start' })).toBeInTheDocument();
  });
});

describe('the preview of the lesson plan', { timeout: 20_000 }, () => {
  test('s077_s078_s080_its_steps_sections_and_first_20_credits', () => {
    open('/public-lesson-plan');
    const steps = screen.getByRole('list', { name: 'Steps' });
    expect(steps).toHaveTextContent('BoardDetailsGenerate');
    for (const name of ['Basic Information', 'Lesson Plan Details', 'Optional Sample Material']) {
      expect(screen.getByRole('region', { name: new RegExp(name) })).toBeInTheDocument();
    }
    expect(screen.getByText(/first 20 credits/)).toBeInTheDocument();
  });

  test('s081_its_fields_are_those_of_the_builder', () => {
    open('/public-lesson-plan');
    expect(options('Board')).toEqual(boards.map(({ label }) => label));
    expect(options('Class')).toEqual(classes.map(({ label }) => label));
    expect(options('Subject')).toEqual(subjects);
    expect(screen.getByLabelText('Number of periods')).toHaveValue('5');
    for (const name of ['Chapter', 'Book', 'Publisher']) {
      expect(screen.getByRole('textbox', { name })).toBeRequired();
    }
  });

  test('s077_a_complete_part_moves_the_step_on_and_the_paper_follows', async () => {
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

  test('s076_a_sample_is_pdf_or_docx_and_others_are_silently_ignored', async () => {
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

test('s082_s083_the_question_paper_has_back_home_and_its_defaults', () => {
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

test('s084_s085_s086_the_teaching_aids_have_nine_types_and_their_defaults', () => {
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

test('s087_s088_the_communication_has_no_signature_output_or_email', () => {
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

  test.each([
    ['/public-lesson-plan', 'आपकी योजना अब तक', 'गणित · कक्षा 7', 'Class 7'],
    ['/public-question-paper', 'आपका प्रश्न पत्र अब तक', 'गणित · कक्षा 7', 'Class 7'],
    ['/public-teaching-aids', 'आपकी शिक्षण सामग्री अब तक', 'गणित · कक्षा 7', '7th'],
  ])('s320_the_paper_of_%s_names_subject_and_class_as_the_form_does', async (path, name, heading, grade) => {
    const user = open(path);
    await user.selectOptions(screen.getByLabelText('कक्षा'), grade);
    await user.selectOptions(screen.getByLabelText('विषय'), 'Mathematics');
    expect(screen.getByRole('region', { name })).toHaveTextContent(heading);
  });
});
