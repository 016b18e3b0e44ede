import { useElapsedSeconds } from '@/hooks/use-elapsed-seconds';
import { useI18n, type MessageKey } from '@/lib/i18n';
import { cn } from '@/lib/utils';
import { periodPlan } from '../period-plan';
import type { LessonPlanForm } from '../schema';

interface BlankPlanProps {
  values: LessonPlanForm;
  /** When the plan is being written: since when; else null. */
  startedAt: number | null;
}

const openingParts: readonly MessageKey[] = ['document.outcomes', 'document.keyTerms'];
const secondsPerPart = 3;

/** The heading and the parts of the plan on paper, with ruled blanks where its content will stand. */
export function BlankPlan({ values, startedAt }: BlankPlanProps) {
  const { t } = useI18n();
  const subject = values.subject || t('lesson.subject');
  return (
    <section
      aria-label={t('lesson.preview')}
      className="rounded-paper bg-paper px-[22px] py-6 font-document text-[0.9375rem] text-paper-ink shadow-paper"
    >
      <h2 className="text-center text-[1.0625rem] leading-snug font-bold">
        {subject} · {values.grade || t('lesson.class')}
      </h2>
      <p className="text-center text-sm">
        {t('document.chapter')}: {values.chapterName.trim() || '__________'}
      </p>
      <p className="mt-1 flex justify-between gap-4 border-b border-paper-ink pb-2.5 text-sm">
        <span className="min-w-0">{values.board || t('lesson.board')}</span>
        <span className="min-w-0 text-right">
          {values.book.trim() || t('lesson.book')} ({values.publisher.trim() || t('lesson.publisher')})
        </span>
      </p>
      {startedAt === null ? (
        <Parts periods={values.periods} writing={null} />
      ) : (
        <WritingParts periods={values.periods} startedAt={startedAt} />
      )}
    </section>
  );
}

/** The pen moves on from part to part and stays under the last one until the plan is there. */
function WritingParts({ periods, startedAt }: { periods: string; startedAt: number }) {
  const seconds = useElapsedSeconds(startedAt);
  return <Parts periods={periods} writing={Math.floor(seconds / secondsPerPart)} />;
}

function Parts({ periods, writing }: { periods: string; writing: number | null }) {
  const { t } = useI18n();
  const parts = [
    ...openingParts.map((part) => t(part)),
    ...periodPlan(periods).map(
      (step, index) => `${t('document.period', { number: index + 1 })} – ${t(step)}`,
    ),
  ];
  const current = writing === null ? null : Math.min(writing, parts.length - 1);
  return (
    <ol>
      {parts.map((part, index) => (
        <li key={part + String(index)} className="mt-4">
          <p className="relative inline-block font-bold">
            {part}
            {current === index ? (
              <span
                aria-hidden="true"
                className="absolute inset-x-0 -bottom-0.5 h-0.5 origin-left animate-pen bg-[#c0392b]"
              />
            ) : null}
          </p>
          <span
            aria-hidden="true"
            className={cn(
              'mt-5 block border-b border-paper-rule',
              current !== null && index > current && 'opacity-40',
            )}
          />
          <span
            aria-hidden="true"
            className={cn(
              'mt-6 block border-b border-paper-rule',
              current !== null && index > current && 'opacity-40',
            )}
          />
        </li>
      ))}
    </ol>
  );
}
