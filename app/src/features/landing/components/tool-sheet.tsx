import type { ReactNode } from 'react';
import { useI18n, type MessageKey } from '@/lib/i18n';
import { cn } from '@/lib/utils';
import type { Tool } from '@/lib/tools';

/**
 * The corner of a document of the tool. It is decorative,
 * because the words of the tool stand beside it.
 */
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

const phases: readonly (readonly [number, MessageKey])[] = [
  [5, 'sheet.recall'],
  [10, 'sheet.board'],
  [15, 'sheet.activity'],
  [8, 'sheet.questions'],
  [2, 'sheet.homework'],
];

function LessonPlanSheet() {
  const { t } = useI18n();
  return (
    <Paper className="-rotate-1">
      <p className="border-b border-paper-ink pb-1 font-bold">{t('sheet.planTitle')}</p>
      {phases.map(([minutes, what]) => (
        <p key={what} className="flex gap-3 border-b border-paper-rule py-0.5 whitespace-nowrap">
          <span className="min-w-12 shrink-0 text-paper-muted tabular-nums">
            {t('sheet.minutes', { minutes })}
          </span>
          {t(what)}
        </p>
      ))}
    </Paper>
  );
}

const questions: readonly (readonly [MessageKey, number])[] = [
  ['sheet.ohm', 1],
  ['sheet.ammeter', 2],
  ['sheet.resistors', 3],
  ['sheet.heat', 5],
];

function QuestionPaperSheet() {
  const { t } = useI18n();
  return (
    <Paper className="rotate-1">
      <p className="mb-1 flex justify-between border-b border-paper-ink pb-1 font-bold">
        <span>{t('sheet.time')}</span>
        <span>{t('sheet.marks')}</span>
      </p>
      {questions.map(([text, marks], index) => (
        <p key={text} className="flex gap-2 py-0.5">
          <span className="tabular-nums">{index + 1}.</span>
          <span className="min-w-0 flex-1">{t(text)}</span>
          <span className="tabular-nums">[{marks}]</span>
        </p>
      ))}
    </Paper>
  );
}

const blanks: readonly MessageKey[] = ['sheet.food', 'sheet.pigment', 'sheet.gas', 'sheet.starch'];

function WorksheetSheet() {
  const { t } = useI18n();
  return (
    <Paper className="-rotate-1">
      <p className="flex justify-between border-b border-paper-ink pb-1 font-bold">
        <span>{t('sheet.leaves')}</span>
        <span>___ / 8</span>
      </p>
      <p className="pt-1 italic">{t('sheet.fill')}</p>
      {blanks.map((key, index) => {
        const [before, after] = t(key).split('___');
        return (
          <p key={key} className="flex items-baseline gap-1.5 py-0.5 whitespace-nowrap">
            <span className="tabular-nums">{index + 1}.</span>
            {before}
            <span className="min-w-4 flex-1 border-b border-paper-muted" />
            {after}
          </p>
        );
      })}
    </Paper>
  );
}

function MessageSheet() {
  const { t } = useI18n();
  return (
    <div className="sheet absolute top-3 right-3 left-3 max-w-[17rem] rotate-[0.6deg] rounded-card rounded-tl-paper bg-paper px-3.5 py-2.5 text-[13px] leading-[1.4] text-paper-ink shadow-paper sm:top-5 sm:left-8 sm:px-4 sm:leading-[1.5]">
      <p className="font-bold">{t('sheet.meeting')}</p>
      <p>{t('sheet.parents')}</p>
      <p className="mt-0.5">{t('sheet.signed')}</p>
      <p className="mt-1 flex items-center justify-end gap-1 text-paper-muted">
        {t('sheet.sentAt')}
        <svg viewBox="0 0 20 12" className="h-3 w-5 fill-none stroke-[#1c7ed6] [stroke-width:2]">
          <path d="M1 6.5 5 10.500 13 1.500M8 10.500 17 1.500" />
        </svg>
      </p>
    </div>
  );
}
