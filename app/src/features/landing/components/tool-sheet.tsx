import type { ReactNode } from 'react';
import { cn } from '@/lib/utils';
import type { Tool } from '@/lib/tools';

/** The corner of a document as the tool makes it: for the eye, its tool's words stand beside it. */
export function ToolSheet({ tool }: { tool: Tool['id'] }) {
  const Sheet = sheets[tool];
  return (
    <div
      aria-hidden="true"
      className="tool-sheet relative h-40 overflow-hidden rounded-control border border-border bg-muted sm:h-44"
    >
      <Sheet />
    </div>
  );
}

const sheets: Readonly<Record<Tool['id'], () => ReactNode>> = {
  'lesson-plan': LessonPlanSheet,
  'question-paper': QuestionPaperSheet,
  'teaching-aids': WorksheetSheet,
  'communication-tool': MessageSheet,
};

function Paper({ className, children }: { className?: string; children: ReactNode }) {
  return (
    <div
      className={cn(
        'sheet absolute inset-x-3 top-4 min-h-52 overflow-hidden rounded-paper bg-paper px-4 py-3.5 font-document text-[13px] leading-[1.5] text-paper-ink shadow-paper sm:inset-x-8 sm:top-5',
        className,
      )}
    >
      {children}
    </div>
  );
}

const phases = [
  ['5 min', 'Recall: mirrors at home'],
  ['10 min', 'Board: angle in, angle out'],
  ['15 min', 'Activity: torch, comb, mirror'],
  ['8 min', 'Questions 1 to 4, in pairs'],
  ['2 min', 'Homework: page 161, Q. 3'],
];

function LessonPlanSheet() {
  return (
    <Paper className="-rotate-1">
      <p className="border-b border-paper-ink pb-1 font-bold">Period 2 · Laws of reflection</p>
      {phases.map(([time, what]) => (
        <p key={time} className="flex gap-3 border-b border-paper-rule py-0.5 whitespace-nowrap">
          <span className="w-12 shrink-0 text-paper-muted tabular-nums">{time}</span>
          {what}
        </p>
      ))}
    </Paper>
  );
}

const questions = [
  ['1.', 'State Ohm’s law.', '[1]'],
  ['2.', 'Why is an ammeter joined in series?', '[2]'],
  ['3.', 'Three resistors of 6 Ω are joined in parallel. Find the total resistance.', '[3]'],
  ['4.', 'Derive the expression for the heat produced in a resistor.', '[5]'],
];

function QuestionPaperSheet() {
  return (
    <Paper className="rotate-1">
      <p className="mb-1 flex justify-between border-b border-paper-ink pb-1 font-bold">
        <span>Time: 1 hour</span>
        <span>Marks: 25</span>
      </p>
      {questions.map(([number, text, marks]) => (
        <p key={number} className="flex gap-2 py-0.5">
          <span className="tabular-nums">{number}</span>
          <span className="min-w-0 flex-1">{text}</span>
          <span className="tabular-nums">{marks}</span>
        </p>
      ))}
    </Paper>
  );
}

const blanks = [
  'Plants make food in their ',
  'The green pigment is called ',
  'Leaves take in the gas ',
  'Starch turns iodine ',
];

function WorksheetSheet() {
  return (
    <Paper className="-rotate-1">
      <p className="flex justify-between border-b border-paper-ink pb-1 font-bold">
        <span>Food from leaves</span>
        <span>___ / 8</span>
      </p>
      <p className="pt-1 italic">Fill in the blanks.</p>
      {blanks.map((text, index) => (
        <p key={text} className="flex items-baseline gap-1.5 py-0.5 whitespace-nowrap">
          <span className="tabular-nums">{index + 1}.</span>
          {text}
          <span className="min-w-4 flex-1 border-b border-paper-muted" />
        </p>
      ))}
    </Paper>
  );
}

function MessageSheet() {
  return (
    <div className="sheet absolute top-4 left-3 max-w-[17rem] rotate-[0.6deg] rounded-card rounded-tl-paper bg-paper px-4 py-3 text-[13px] leading-[1.55] text-paper-ink shadow-paper sm:top-5 sm:left-8">
      <p className="font-bold">Class 6 B · parent-teacher meeting</p>
      <p>Dear parents, we meet on Saturday, 5 December, at 10 a.m. in the hall. Please bring the diary.</p>
      <p className="mt-0.5">Asha K, class teacher</p>
      <p className="mt-1 flex items-center justify-end gap-1 text-paper-muted">
        4:10 p.m.
        <svg viewBox="0 0 20 12" className="h-3 w-5 fill-none stroke-[#1c7ed6] [stroke-width:2]">
          <path d="M1 6.5 5 10.500 13 1.500M8 10.500 17 1.500" />
        </svg>
      </p>
    </div>
  );
}
