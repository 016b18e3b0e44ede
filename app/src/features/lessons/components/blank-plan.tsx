import { BlankParts, BlankSheet } from '@/builder/components/blank-parts';
import { useI18n, type MessageKey } from '@/lib/i18n';
import { periodPlan } from '../period-plan';
import type { LessonPlanForm } from '../schema';

interface BlankPlanProps {
  values: LessonPlanForm;
  /** When the plan is being written: since when; else null. */
  startedAt: number | null;
}

const openingParts: readonly MessageKey[] = ['document.outcomes', 'document.keyTerms'];

/** The heading and the parts of the plan on paper, with ruled blanks where its content will stand. */
export function BlankPlan({ values, startedAt }: BlankPlanProps) {
  const { t } = useI18n();
  const parts = [
    ...openingParts.map((part) => ({ title: t(part) })),
    ...periodPlan(values.periods).map((step, index) => ({
      title: `${t('document.period', { number: index + 1 })} – ${t(step)}`,
    })),
  ];
  return (
    <BlankSheet label={t('builder.preview')}>
      <h2 className="text-center text-[1.0625rem] leading-snug font-bold">
        {values.subject || t('builder.subject')} · {values.grade || t('builder.class')}
      </h2>
      <p className="text-center text-sm">
        {t('document.chapter')}: {values.chapterName.trim() || '__________'}
      </p>
      <p className="mt-1 flex justify-between gap-4 border-b border-paper-ink pb-2.5 text-sm">
        <span className="max-w-[60%] shrink-0">{values.board || t('builder.board')}</span>
        <span className="min-w-0 text-right">
          {values.book.trim() || t('builder.book')} ({values.publisher.trim() || t('builder.publisher')})
        </span>
      </p>
      <BlankParts parts={parts} startedAt={startedAt} />
    </BlankSheet>
  );
}
