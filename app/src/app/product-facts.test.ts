import { describe, expect, test } from 'vitest';
import { emptyAids, pagesOf, requestOf as aidsRequest } from '@/features/teaching-aids/form';
import { codeLength } from '@/features/auth/schema';
import { emptyCommunication } from '@/features/communications/form';
import { emptyLessonPlan } from '@/features/lessons/form';
import { emptyPaper } from '@/features/question-papers/form';
import { plans } from '@/features/payments/plans';
import { phoneLength } from '@/features/payments/schema';
import { upiLink } from '@/features/payments/upi-link';
import { questions } from '@/features/faqs/questions';
import { privacy } from '@/features/legal/privacy';
import { terms } from '@/features/legal/terms';
import { boards, classes } from '@/lib/curriculum';
import { formatDate, formatTime } from '@/lib/dates';
import { generationCost } from '@/lib/generation-cost';
import { t } from '@/lib/i18n';
import { formatRupees } from '@/lib/money';
import { periodOptions } from '@/lib/options/lesson-plan';
import { aidFormats, aidPages } from '@/lib/options/teaching-aids';
import { comingSoonTools, tools } from '@/lib/tools';

/** Every source file of the application except its tests. */
const sources = Object.entries(
  import.meta.glob<string>(['../**/*.{ts,tsx,json}', '!../**/*.test.*', '!../test/**'], {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
).map(([path, text]) => ({ path: new URL(path, 'file:///app/').pathname.slice(1), text }));

// rows: S-127 S-431
test('no source turns text into HTML', () => {
  const doors = /dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write|srcdoc/i;
  expect(sources.filter(({ text }) => doors.test(text)).map(({ path }) => path)).toEqual([]);
});

describe('what the product is', () => {
  // rows: S-001 S-183
  test('the product is for Class 1 to 12 of Indian and international boards', () => {
    expect(classes.map(({ label }) => label)).toEqual(
      Array.from({ length: 12 }, (_, index) => `Class ${index + 1}`),
    );
    const known = boards.map(({ value }) => value);
    for (const board of ['CBSE', 'ICSE', 'IB', 'Cambridge', 'Maharashtra Board'])
      expect(known).toContain(board);
  });

  // rows: S-002 S-003
  test('four tools work and eight are announced', () => {
    expect(tools.map(({ publicName }) => t(publicName))).toEqual([
      'Create Lesson Plan',
      'Create Question Paper',
      'Teaching Aids',
      'Communication Tools',
    ]);
    expect(comingSoonTools.map((name) => t(name))).toEqual([
      'Assessment Tools',
      'Digital Resources',
      'Time-Saving Tools',
      'Professional Development',
      'Student Engagement',
      'Exam Support',
      'Curriculum Support',
      'Creative Content',
    ]);
  });
});

describe('texts that contradict each other on purpose', () => {
  // rows: S-019 S-407
  test('the screens differ in the delay before a payment is confirmed', () => {
    const delays = sources
      .flatMap(({ path, text }) =>
        [...text.matchAll(/const (?:confirmAfterSeconds|defaultSeconds) = (\d+)/g)].map(([, seconds]) => [
          path,
          seconds,
        ]),
      )
      .sort();
    expect(delays).toEqual([
      ['features/payments/components/buy-pack.tsx', '22'],
      ['features/payments/components/plan-payment.tsx', '30'],
      ['features/payments/components/upi-step.tsx', '20'],
    ]);
  });

  // rows: S-404
  test('the screens differ in the credits of a new account', () => {
    expect(t('wallet.welcomeDetail', { coins: 20 })).toMatch(/\b20\sfree credits/);
    for (const text of [t('landing.banner'), t('about.credits'), t('faq.costAnswer', { cost: 20 })]) {
      expect(text).toMatch(/\b50\sfree credits/);
    }
    const wallet = sources.find(({ path }) => path === 'features/wallet/use-wallet.ts');
    expect(wallet?.text).toContain('{ home: 20, other: 100 }');
  });
});

describe('constants', () => {
  // rows: S-403 S-405 S-406 S-409 S-413
  test('constants are what the specification says', () => {
    expect(generationCost).toBe(20);
    expect(codeLength).toBe(6);
    expect(phoneLength).toBe(10);
    expect(periodOptions).toEqual(['1', '2', '3', '4', '5']);
    expect(aidPages).toEqual({ min: 1, max: 10, publicDefault: 5, fallback: 3 });
    expect(['', 'x', '0', '11', '7'].map(pagesOf)).toEqual([3, 3, 3, 3, 7]);
  });

  // rows: S-411
  test('there are ten questions, ten terms, ten privacy sections, 30 days, 13 years', () => {
    expect([questions, terms, privacy].map(({ length }) => length)).toEqual([10, 10, 10]);
    expect(JSON.stringify(terms)).toContain('30 days');
    expect(JSON.stringify(privacy)).toContain('13');
  });

  // rows: S-415
  test('money is in rupees', () => {
    expect(formatRupees(125_000)).toBe('₹1,25,000');
    const link = upiLink({ payeeAddress: 'a@b', payeeName: 'A', amount: 20, credits: 20, reference: 'r' });
    expect(link).toContain('cu=INR');
  });

  // rows: S-416
  test('dates are DD-MM-YYYY and times HH:MM in India', () => {
    const moment = new Date('2026-11-21T20:05:00Z');
    expect(formatDate(moment)).toBe('22-11-2026');
    expect(formatTime(moment)).toBe('22-11-2026, 01:35');
  });

  // rows: S-360
  test('there are three plans', () => {
    expect(plans.map(({ id }) => id)).toEqual(['basic', 'standard', 'premium']);
  });
});

describe('forms', () => {
  // rows: S-180 S-354
  test('a lesson plan begins with five periods', () => {
    expect(emptyLessonPlan).toEqual({
      board: '',
      grade: '',
      subject: '',
      periods: '5',
      chapterName: '',
      book: '',
      publisher: '',
    });
  });

  // rows: S-355
  test('a question paper begins with 100 marks, 3 hours and 4 sections', () => {
    expect(emptyPaper).toMatchObject({
      marks: '100',
      timeHours: '3',
      numberOfSections: '4',
      difficultyLevel: '',
      questionTypes: [],
    });
  });

  // rows: S-356
  test('teaching aids begin with 3 pages of Word', () => {
    expect(emptyAids).toMatchObject({ numberOfPages: '3', preferredFormat: 'docx', aidTypes: [] });
  });

  // rows: S-252
  test('an unknown format is Word', () => {
    const names = ['Word Document (.docx)', 'Rich Text (.rtf)'];
    expect(aidFormats.map(({ name }) => name)).toEqual(names);
    expect(aidFormats.map(({ text }) => t(text))).toEqual(names);
    const form = { ...emptyAids, preferredFormat: 'pdf' };
    expect(aidsRequest(form).preferredFormat).toBe('Word Document (.docx)');
  });

  // rows: S-357
  test('a communication begins formal and downloaded', () => {
    expect(emptyCommunication).toMatchObject({
      communicationType: '',
      tone: 'formal',
      outputType: 'download',
    });
  });
});

describe('the source', () => {
  // rows: S-417
  test('the source names no contact', () => {
    for (const { path, text } of sources) {
      expect(text, path).not.toMatch(/wa\.me\/\d|[\w.]+@(?:upi|ok\w+|ybl|paytm)\b|\+91[\s\d]{8}/);
    }
  });

  // rows: S-395
  test('the source opens channels in one place and no bucket but that of the samples', () => {
    for (const { path, text } of sources) {
      expect(text, path).not.toMatch(/supabase\.storage\b(?!\.from\('samples'\))/);
      if (!path.endsWith('lib/live-topic.ts')) expect(text, path).not.toMatch(/supabase\.channel\b/);
    }
  });

  // rows: S-007 S-391
  test('documents are sent only to the signed-in address', () => {
    const senders = sources.filter(({ text }) => text.includes("'send-generated-content'"));
    expect(senders.map(({ path }) => path)).toEqual(['builder/api/send-document.ts']);
  });
});
