import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { beforeEach, describe, expect, test } from 'vitest';
import { draftStorage } from '@/builder/draft-storage';
import { Toaster } from '@/components/ui/toaster';
import { lessonPlanTool } from '@/features/lessons/lesson-plan-tool';
import { FakeApi, FakeWallet, json } from '@/test/fake-api';
import { catchDownloads, showRoute, teacher } from '@/test/show-route';
import LessonPlanRoute from './lesson-plan';

const answer = { docContent: btoa('{}'), lessonPlan: 'LESSON PLAN: Electricity', filename: 'plan.rtf' };
const form = {
  ...lessonPlanTool.empty,
  board: 'CBSE',
  grade: 'Class 10',
  subject: 'Science',
  chapterName: 'Electricity',
  book: 'Science',
  publisher: 'NCERT',
};

let saved: ReturnType<typeof catchDownloads>;
/** Answers the generation, if it was requested. */
let finish: (response: Response) => void;

const download = () => screen.getByRole('button', { name: /^Download All Lesson Plans/ });
/** What became of the event. The events of jsdom have no return value. */
const leaving = () => {
  const event = new Event('beforeunload', { cancelable: true });
  const value: { returnValue: unknown } = { returnValue: '' };
  Object.defineProperty(event, 'returnValue', {
    set: (returnValue: unknown) => Object.assign(value, { returnValue }),
  });
  window.dispatchEvent(event);
  return { asks: event.defaultPrevented, ...value };
};
const asksBeforeLeaving = () => leaving().asks;

beforeEach(() => {
  saved = catchDownloads();
});

async function show() {
  const api = new FakeApi().on('POST /functions/v1/generate-lesson-plan', ({ headers }) => {
    if (!headers.has('Idempotency-Key')) return json({ meta: null });
    return new Promise<Response>((resolve) => {
      finish = resolve;
    });
  });
  new FakeWallet(api, 40);
  draftStorage(lessonPlanTool, teacher.id).saveDraft(form);
  const { person } = showRoute(<LessonPlanRoute />);
  await person.click(screen.getByRole('button', { name: 'Start Plan Builder' }));
  await screen.findByRole('button', { name: /^Download All Lesson Plans/ });
  return { api, person };
}

/** A document on its way. */
async function press() {
  const { api, person } = await show();
  expect(asksBeforeLeaving()).toBe(false);
  await person.click(download());
  await waitFor(() => {
    expect(api.calls.some(({ headers }) => headers.has('Idempotency-Key'))).toBe(true);
  });
}

describe('while a document is written', { timeout: 20_000 }, () => {
  // rows: S-427
  test('the browser asks before the page is left', async () => {
    await press();
    expect(asksBeforeLeaving()).toBe(true);
    finish(json(answer));
    expect(await screen.findByText('Lesson Plans Generated!')).toBeInTheDocument();
    await waitFor(() => {
      expect(asksBeforeLeaving()).toBe(false);
    });
  });

  // rows: S-427
  test('older browsers ask before the page is left as well', async () => {
    await press();
    expect(leaving().returnValue).toBe(true);
    finish(json(answer));
    expect(await screen.findByText('Lesson Plans Generated!')).toBeInTheDocument();
    await waitFor(() => {
      expect(leaving().returnValue).toBe('');
    });
  });

  // rows: S-427
  test('another screen says that the generation goes on, and the document arrives', async () => {
    await press();
    cleanup();
    render(<Toaster />);
    expect(screen.getByText('Your document is still being written')).toBeInTheDocument();
    expect(asksBeforeLeaving()).toBe(true);
    finish(json(answer));
    expect(await screen.findByText('Lesson Plans Generated!')).toBeInTheDocument();
    expect(saved.names).toEqual(['plan.rtf']);
  });

  // rows: S-427
  test('a user who leaves by signing out sees no notice', async () => {
    await press();
    localStorage.clear();
    cleanup();
    render(<Toaster />);
    finish(json(answer));
    await waitFor(() => {
      expect(asksBeforeLeaving()).toBe(false);
    });
    expect(screen.getByRole('status')).toBeEmptyDOMElement();
    expect(saved.names).toEqual([]);
  });

  // rows: S-425
  test('a press shows progress before anything is answered', async () => {
    const { api } = await show();
    api.on('GET /rest/v1/profiles', () => new Promise<Response>(() => undefined));
    fireEvent.click(download());
    await act(() => Promise.resolve());
    expect(download()).toBeDisabled();
  });
});
