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

/** Every source file of the application but its tests. */
const sources = Object.entries(
  import.meta.glob<string>(['../**/*.{ts,tsx,json}', '!../**/*.test.*', '!../test/**'], {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
).map(([path, text]) => ({ path: new URL(path, 'file:///app/').pathname.slice(1), text }));

test('s127_s431_no_source_turns_text_into_html', () => {
  const doors = /dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write|srcdoc/i;
  expect(sources.filter(({ text }) => doors.test(text)).map(({ path }) => path)).toEqual([]);
});

describe('what the product is', () => {
  test('s001_s183_it_is_for_class_1_to_12_of_indian_and_international_boards', () => {
    expect(classes.map(({ label }) => label)).toEqual(
      Array.from({ length: 12 }, (_, index) => `Class ${index + 1}`),
    );
    const known = boards.map(({ value }) => value);
    for (const board of ['CBSE', 'ICSE', 'IB', 'Cambridge', 'Maharashtra Board'])
      expect(known).toContain(board);
  });

  test('s002_s003_four_tools_work_and_eight_are_to_come', () => {
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

describe('where the specification says two things, both are said', () => {
  test('s019_s407_of_the_delay_before_a_payment_is_confirmed', () => {
    const delays = sources
      .flatMap(({ path, text }) =>
        [...text.matchAll(/const (?:confirmAfterSeconds|usualSeconds) = (\d+)/g)].map(([, seconds]) => [
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

  test('s404_of_the_credits_to_begin_with', () => {
    expect(t('wallet.welcomeDetail', { coins: 20 })).toMatch(/\b20\sfree credits/);
    for (const text of [t('landing.banner'), t('about.credits'), t('faq.costAnswer', { cost: 20 })]) {
      expect(text).toMatch(/\b50\sfree credits/);
    }
    const wallet = sources.find(({ path }) => path === 'features/wallet/use-wallet.ts');
    expect(wallet?.text).toContain('{ home: 20, other: 100 }');
  });
});

describe('constants', () => {
  test('s403_s405_s406_s409_s413_are_what_the_list_says', () => {
    expect(generationCost).toBe(20);
    expect(codeLength).toBe(6);
    expect(phoneLength).toBe(10);
    expect(periodOptions).toEqual(['1', '2', '3', '4', '5']);
    expect(aidPages).toEqual({ min: 1, max: 10, publicDefault: 5, fallback: 3 });
    expect(['', 'x', '0', '11', '7'].map(pagesOf)).toEqual([3, 3, 3, 3, 7]);
  });

  test('s411_ten_questions_ten_terms_ten_points_of_privacy_30_days_and_13_years', () => {
    expect([questions, terms, privacy].map(({ length }) => length)).toEqual([10, 10, 10]);
    expect(JSON.stringify(terms)).toContain('30 days');
    expect(JSON.stringify(privacy)).toContain('13');
  });

  test('s415_money_is_in_rupees', () => {
    expect(formatRupees(125_000)).toBe('₹1,25,000');
    const link = upiLink({ payeeAddress: 'a@b', payeeName: 'A', amount: 20, credits: 20, reference: 'r' });
    expect(link).toContain('cu=INR');
  });

  test('s416_dates_are_dd_mm_yyyy_and_times_hh_mm_in_india', () => {
    const moment = new Date('2026-11-21T20:05:00Z');
    expect(formatDate(moment)).toBe('22-11-2026');
    expect(formatTime(moment)).toBe('22-11-2026, 01:35');
  });

  test('s360_there_are_three_plans', () => {
    expect(plans.map(({ id }) => id)).toEqual(['basic', 'standard', 'premium']);
  });
});

describe('forms', () => {
  test('s180_s354_a_lesson_plan_begins_with_five_periods', () => {
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

  test('s355_a_question_paper_begins_with_100_marks_3_hours_and_4_sections', () => {
    expect(emptyPaper).toMatchObject({
      marks: '100',
      timeHours: '3',
      numberOfSections: '4',
      difficultyLevel: '',
      questionTypes: [],
    });
  });

  test('s356_teaching_aids_begin_with_3_pages_of_word', () => {
    expect(emptyAids).toMatchObject({ numberOfPages: '3', preferredFormat: 'docx', aidTypes: [] });
  });

  test('s252_an_unknown_format_is_word', () => {
    const names = ['Word Document (.docx)', 'Rich Text (.rtf)'];
    expect(aidFormats.map(({ name }) => name)).toEqual(names);
    expect(aidFormats.map(({ text }) => t(text))).toEqual(names);
    const form = { ...emptyAids, preferredFormat: 'pdf' };
    expect(aidsRequest(form).preferredFormat).toBe('Word Document (.docx)');
  });

  test('s357_a_communication_begins_formal_and_downloaded', () => {
    expect(emptyCommunication).toMatchObject({
      communicationType: '',
      tone: 'formal',
      outputType: 'download',
    });
  });
});

describe('the source', () => {
  test('s417_names_no_contact', () => {
    for (const { path, text } of sources) {
      expect(text, path).not.toMatch(/wa\.me\/\d|[\w.]+@(?:upi|ok\w+|ybl|paytm)\b|\+91[\s\d]{8}/);
    }
  });

  test('s395_opens_no_channel_and_no_bucket', () => {
    for (const { path, text } of sources) expect(text, path).not.toMatch(/supabase\.(?:channel|storage)\b/);
  });

  test('s007_s391_sends_documents_to_the_signed_in_address_alone', () => {
    const senders = sources.filter(({ text }) => text.includes("'send-generated-content'"));
    expect(senders.map(({ path }) => path)).toEqual(['builder/api/send-document.ts']);
  });
});
