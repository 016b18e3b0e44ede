import { fireEvent, screen } from '@testing-library/react';
import { expect } from 'vitest';
import LessonPlanRoute from '@/app/routes/lesson-plan';
import { FakeApi, json } from './fake-api';
import { catchDownloads, showRoute } from './show-route';

// The code that shows a finished plan, so that no test waits for it.
import '@/builder/components/finished-column';
import '@/features/lessons/components/plan-document';

export const generate = 'POST /functions/v1/generate-lesson-plan';
export const send = 'POST /functions/v1/send-generated-content';

export const answer = {
  docContent: btoa('{\\rtf1 plan}'),
  lessonPlan: 'LESSON PLAN: Electricity',
  filename: 'plan.rtf',
};

export const filled = {
  board: 'CBSE',
  grade: 'Class 10',
  subject: 'Science',
  chapterName: 'Electricity',
  book: 'Science',
  publisher: 'NCERT',
};

/** An API that generates and mails every plan, and the names of the saved files. */
export function plansAreMade() {
  const api = new FakeApi().on(generate, () => json(answer)).on(send, () => json({ success: true }));
  return { api, saved: catchDownloads().names };
}

/** The calls that generate a plan, not those for an estimate. */
export function generationsOf(api: FakeApi) {
  return api.callsTo(generate).filter((call) => call.headers.has('Idempotency-Key'));
}

export function show(signOut = () => Promise.resolve()) {
  return showRoute(<LessonPlanRoute />, { signOut }).person;
}

/** Fills in the form and goes on to its buttons. */
export async function start(person: ReturnType<typeof show>) {
  const fill = (label: string, value: string) =>
    fireEvent.change(screen.getByLabelText(label), { target: { value } });
  fill('Board', 'CBSE');
  fill('Class', 'Class 10');
  fill('Subject', 'Science');
  fill('Chapter', 'Electricity');
  fill('Book', 'Science');
  expect(screen.getByRole('button', { name: 'Start Plan Builder' })).toBeDisabled();
  fill('Publisher', 'NCERT');
  await person.click(screen.getByRole('button', { name: 'Start Plan Builder' }));
  await screen.findByRole('button', { name: /^Download All Lesson Plans/ });
}

export const download = () => screen.getByRole('button', { name: /^Download All Lesson Plans/ });
export const mail = () => screen.getByRole('button', { name: /^Send to Email/ });
