import { describe, expect, test } from 'vitest';
import { visitorId } from '@/lib/clear-user-data';
import { problemOfSample } from '@/lib/sample-file';
import { draftStorage } from '@/builder/draft-storage';
import { requestKey } from '@/builder/request-key';
import { isSameSubmission } from '@/builder/submission';
import { emptyLessonPlan, requestOf } from './form';
import { lessonPlanTool } from './lesson-plan-tool';
import { periodPlan } from './period-plan';
import { lessonPlanSchema, type LessonPlanForm } from './schema';

const isComplete = (form: LessonPlanForm) => lessonPlanSchema.safeParse(form).success;

const filled = {
  board: 'CBSE',
  grade: 'Class 10',
  subject: 'Science',
  periods: '5',
  chapterName: ' Electricity ',
  book: 'Science',
  publisher: 'NCERT',
};

describe('the form', () => {
  // rows: S-180
  test('the form has its defaults', () => {
    expect(emptyLessonPlan).toEqual({
      ...filled,
      board: '',
      grade: '',
      subject: '',
      chapterName: '',
      book: '',
      publisher: '',
    });
    expect(isComplete(emptyLessonPlan)).toBe(false);
  });

  // rows: S-185
  test('every field is required', () => {
    expect(isComplete(filled)).toBe(true);
    for (const name of Object.keys(filled)) expect(isComplete({ ...filled, [name]: '  ' })).toBe(false);
    expect(isComplete({ ...filled, periods: '0' })).toBe(false);
    expect(lessonPlanSchema.safeParse({ ...filled, book: '' }).error?.issues[0]?.message).toBe(
      'Please fill in this field.',
    );
  });

  // rows: S-195 S-204
  test('the form becomes the body of the call with the object of a sample', () => {
    expect(requestOf(filled, '')).toEqual({
      board: 'CBSE',
      class: 'Class 10',
      subject: 'Science',
      periods: 5,
      chapter: 'Electricity',
      bookName: 'Science',
      publisher: 'NCERT',
      referencePlanUrl: '',
    });
    expect(requestOf(filled, 'me/1.pdf').referencePlanUrl).toBe('me/1.pdf');
  });
});

test('every number of periods has a plan of that length', () => {
  for (const periods of ['1', '2', '3', '4', '5']) expect(periodPlan(periods)).toHaveLength(Number(periods));
});

describe('a sample', () => {
  const file = (name: string, type: string, size = 10) => {
    const made = new File(['x'], name, { type });
    Object.defineProperty(made, 'size', { value: size });
    return made;
  };

  // rows: S-189 S-414
  test('a sample is a PDF or DOCX of at most 10 MB', () => {
    const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
    expect(problemOfSample(file('a.pdf', 'application/pdf'))).toBeNull();
    expect(problemOfSample(file('a.docx', docx))).toBeNull();
    expect(problemOfSample(file('a.DOCX', ''))).toBeNull();
    expect(problemOfSample(file('a.pdf', 'image/png'))).toBe('type');
    expect(problemOfSample(file('a.doc', 'application/msword'))).toBe('oldWord');
    expect(problemOfSample(file('a.pdf', 'application/pdf', 10_000_001))).toBe('size');
    expect(problemOfSample(file('a.pdf', 'application/pdf', 10_000_000))).toBeNull();
  });
});

describe('the key of a request', () => {
  const keyOf = (changes: Partial<typeof filled>, sample = '') =>
    requestKey(requestOf({ ...filled, ...changes }, sample));

  // rows: D08
  test('the key is the same for an unchanged form and another for a changed one', async () => {
    const key = await keyOf({});
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(await keyOf({ chapterName: 'Electricity' })).toBe(key);
    const others = [keyOf({ periods: '4' }), keyOf({ book: 'Physics' }), keyOf({}, 'a.pdf')];
    expect(new Set([key, ...(await Promise.all(others))]).size).toBe(4);
  });
});

describe('the storage of drafts', () => {
  const form = { ...filled, chapterName: 'Electricity' };
  const pending = { form, sample: '', startedAt: 1_000 };
  const mine = draftStorage(lessonPlanTool, 'me');

  // rows: S-427
  test('a user finds a pending request again within ten minutes', () => {
    mine.savePending(pending);
    // An app that the phone closed begins with an empty session storage.
    sessionStorage.clear();
    expect(mine.loadPending(2_000)).toEqual(pending);
    expect(draftStorage(lessonPlanTool, 'someone-else').loadPending(2_000)).toBeNull();
    expect(mine.loadPending(1_000 + 10 * 60 * 1_000)).toBeNull();
    mine.clearPending(pending);
    expect(mine.loadPending(2_000)).toBeNull();
  });

  // rows: S-427
  test('each tab forgets only its own request', () => {
    const other = { form: { ...form, chapterName: 'Light' }, sample: '', startedAt: 1_500 };
    mine.savePending(pending);
    mine.savePending(other);
    expect(mine.loadPending(2_000)).toEqual(other);
    expect(mine.findPending(pending, 2_000)).toEqual(pending);
    mine.clearPending(pending);
    expect([mine.findPending(pending, 2_000), mine.loadPending(2_000)]).toEqual([null, other]);
    mine.savePending({ ...other, startedAt: 1_800 });
    mine.clearPending(other);
    expect(localStorage.getItem('pending.generate-lesson-plan.me')).toBeNull();
  });

  test('a request is the same only for the same form and sample', () => {
    expect(isSameSubmission(lessonPlanTool, pending, { form, sample: '' })).toBe(true);
    expect(isSameSubmission(lessonPlanTool, pending, { form: { ...form, periods: '4' }, sample: '' })).toBe(
      false,
    );
    expect(isSameSubmission(lessonPlanTool, pending, { form, sample: 'a.pdf' })).toBe(false);
  });

  test('only its user finds a form again as it was left', () => {
    expect(mine.loadDraft()).toEqual(emptyLessonPlan);
    mine.saveDraft({ ...emptyLessonPlan, board: 'CBSE' });
    expect(mine.loadDraft()).toEqual({ ...emptyLessonPlan, board: 'CBSE' });
    expect(draftStorage(lessonPlanTool, 'someone-else').loadDraft()).toEqual(emptyLessonPlan);
    mine.clearDraft();
    expect(mine.loadDraft()).toEqual(emptyLessonPlan);
  });

  // rows: S-243
  test('an empty form of a visitor leaves the draft of the user who signs in', () => {
    const visitors = draftStorage(lessonPlanTool, visitorId);
    mine.saveDraft(form);
    visitors.saveDraft(emptyLessonPlan);
    expect(mine.loadDraft()).toEqual(form);
    expect(sessionStorage).toHaveLength(0);
    visitors.saveDraft({ ...emptyLessonPlan, board: 'ICSE' });
    expect(mine.loadDraft()).toEqual({ ...emptyLessonPlan, board: 'ICSE' });
  });

  test('other stored values are ignored', () => {
    localStorage.setItem('pending.generate-lesson-plan.me', '{"form":"me"');
    expect(mine.loadPending(2_000)).toBeNull();
    localStorage.setItem('pending.generate-lesson-plan.me', '{"form":{},"sample":7,"startedAt":1000}');
    expect(mine.loadPending(2_000)).toBeNull();
    localStorage.setItem('draft.generate-lesson-plan.me', '{"board":7,"periods":"2"}');
    expect(mine.loadDraft()).toEqual({ ...emptyLessonPlan, periods: '2' });
  });
});
