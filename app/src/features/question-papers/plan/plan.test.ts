import { describe, expect, test } from 'vitest';
import { hourOptions, markOptions, paperDifficulties, sectionOptions } from '@/lib/options/question-paper';
import type { MarksPlan } from '../marks-plan';
import { kinds } from './kinds';
import { planOf, type PlanRequest } from './plan';
import table from './plans.json';

// The same sequence as in the Rust test.
const grades = [3, 7, 10, 12];
const boards = ['CBSE', 'ICSE', 'IB', 'Karnataka Board', 'My ISC school'];
const subjects = ['Mathematics', 'Science', 'History'];

function inTurn<Item>(items: readonly Item[], turn: number): Item {
  const item = items[turn % items.length];
  if (item === undefined) throw new Error('nothing to choose from');
  return item;
}

function inShort({ sections }: MarksPlan): string {
  return sections
    .map(({ letter, marks, attempt, parts }) => {
      const counts = parts.map(({ type, count, marksEach }) => `:${type} ${count}*${marksEach}`);
      return `${letter}${marks}${attempt === null ? '' : `/${attempt}`}${counts.join('')}|`;
    })
    .join('');
}

/** FNV-1a of 32 bits. */
function fnv(start: number, text: string): number {
  let hash = start;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

describe('the marks plan of the form is the plan of the function', { timeout: 300_000 }, () => {
  test.each(table.examples)('$plan.totalMarks marks in full', ({ asked, plan }) => {
    const minutes = asked.timeHours * 60;
    expect(
      planOf({
        board: asked.board,
        grade: asked.class,
        subject: asked.subject,
        marks: asked.marks,
        minutes,
        sections: asked.numberOfSections,
        hardness: asked.difficultyLevel,
        types: asked.questionTypes,
      }),
    ).toEqual({ totalMarks: plan.totalMarks, minutes: plan.minutes, sections: plan.sections });
  });

  // rows: D23
  test('the plans agree for all types, totals, numbers of sections and difficulties', () => {
    const digests: Record<string, string> = {};
    let turn = 0;
    for (const marks of markOptions) {
      for (const sections of sectionOptions) {
        for (const { value: hardness } of paperDifficulties) {
          let digest = 0x811c9dc5;
          for (let set = 1; set < 256; set += 1) {
            const asked: PlanRequest = {
              board: inTurn(boards, turn),
              grade: inTurn(grades, turn),
              subject: inTurn(subjects, turn),
              marks: Number(marks),
              minutes: Number(inTurn(hourOptions, turn)) * 60,
              sections: Number(sections),
              hardness,
              types: kinds.filter((_, at) => set & (1 << at)).map(({ id }) => id),
            };
            turn += 1;
            digest = fnv(digest, inShort(planOf(asked)));
          }
          digests[`${marks} ${sections} ${hardness}`] = digest.toString(16).padStart(8, '0');
        }
      }
    }
    expect(digests).toEqual(table.digests);
  });
});
