import { render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { PlanDocument } from './components/plan-document';
import { parseDocument } from './document-schema';

const file = { content: '', encoding: 'base64', type: 'application/rtf' } as const;

const lesson = {
  kind: 'lesson-plan',
  schema: 'lp/1',
  title: 'पाठ योजना: विद्युत',
  language: 'hi',
  board: 'CBSE',
  class: 10,
  subject: 'Science',
  chapter: 'विद्युत',
  book: 'विज्ञान',
  publisher: 'NCERT',
  label: 'अंतर्निर्मित',
  notes: ['कोड स्वयं लिखें।'],
  periodMinutes: 40,
  outcomes: [{ id: 'O1', text: 'ओम का नियम बताना', bloom: 'apply' }],
  periods: [
    {
      no: 1,
      subtopic: 'विद्युत धारा',
      outcomeIds: ['O1'],
      phases: [
        {
          name: 'आरंभ',
          minutes: 40,
          teacher: 'प्रश्न',
          pupils: 'उत्तर',
          questions: [{ q: 'क्या?', a: 'यह।' }],
          board: 'V = IR',
        },
      ],
      check: { q: 'R?', a: 'V/I' },
      homework: 'अभ्यास 1',
    },
  ],
  differentiation: { support: 'चित्र', core: 'प्रश्न', extension: 'खोज', inclusive: 'साथ' },
  assessment: [{ outcomeId: 'O1', q: 'I?', a: '2 A', marks: 3 }],
};

const plan = { file, text: 'Plain text of the plan', filename: 'plan.rtf', warnings: [] };

// rows: D24
test('a plan is shown in the words of its own language', async () => {
  render(<PlanDocument plan={{ ...plan, content: parseDocument(lesson) }} />);
  expect(await screen.findByRole('heading', { name: 'अधिगम प्रतिफल' })).toBeInTheDocument();
  const paper = screen.getByRole('region', { name: 'Lesson plan, complete' });
  expect(paper).toHaveAttribute('lang', 'hi');
  expect(paper).toHaveTextContent('O1. ओम का नियम बताना (अनुप्रयोग)');
  expect(paper).toHaveTextContent('कालांश 1: विद्युत धारा');
  expect(paper).toHaveTextContent('आरंभ (40 मिनट)');
  expect(paper).toHaveTextContent('[3]');
  expect(paper).not.toHaveTextContent('Plain text of the plan');
});

// rows: D32
test('a plan has the order and the names of its sample', async () => {
  const order = [
    { part: 'periods', title: 'प्रस्तुतीकरण' },
    { part: 'unknown' },
    { part: 'outcomes', title: 'उद्देश्य' },
    { part: 'assessment' },
    { part: 'safety' },
  ];
  render(<PlanDocument plan={{ ...plan, content: parseDocument({ ...lesson, order }) }} />);
  await screen.findByRole('heading', { name: 'उद्देश्य' });
  const parts = screen.getAllByRole('heading', { level: 4 }).map((heading) => heading.textContent);
  expect(parts).toEqual(['प्रस्तुतीकरण', 'उद्देश्य', 'मूल्यांकन']);
});

test('a plan without structure or words is shown as its text', async () => {
  expect(parseDocument({ schema: 'lp/2' })).toBeNull();
  const { rerender } = render(<PlanDocument plan={{ ...plan, content: null }} />);
  expect(screen.getByText('Plain text of the plan')).toBeInTheDocument();
  rerender(<PlanDocument plan={{ ...plan, content: parseDocument({ ...lesson, language: 'xx' }) }} />);
  expect(await screen.findByText('Plain text of the plan')).toBeInTheDocument();
});
