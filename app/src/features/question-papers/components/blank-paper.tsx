import { BlankParts, BlankSheet, type BlankPart } from '@/builder/components/blank-parts';
import { useI18n } from '@/lib/i18n';
import type { MarksPlan } from '../marks-plan';
import type { PaperForm } from '../schema';

interface BlankPaperProps {
  values: PaperForm;
  plan: MarksPlan | null;
  /** When the paper is being written: since when; else null. */
  startedAt: number | null;
}

/** The heading and the sections of the paper, with ruled blanks where its questions will stand (decisions.md D24). */
export function BlankPaper({ values, plan, startedAt }: BlankPaperProps) {
  const { t, tn } = useI18n();
  const section = (letter: string) => t('paper.section', { letter });
  const planned: BlankPart[] | undefined = plan?.sections.map(({ letter, marks }) => ({
    title: section(letter),
    end: `[${marks}]`,
  }));
  const letters = Array.from('ABCDEF').slice(0, Number(values.numberOfSections));
  const parts = planned ?? letters.map((letter) => ({ title: section(letter) }));
  return (
    <BlankSheet label={t('builder.preview')}>
      <h2 className="text-center text-[1.0625rem] leading-snug font-bold">
        {values.subject || t('builder.subject')} · {values.grade || t('builder.class')}
      </h2>
      <p className="text-center text-sm">
        {t('document.chapter')}: {values.chapterName.trim() || '__________'}
      </p>
      <p className="mt-1 flex justify-between gap-4 text-sm">
        <span>{t('paper.allowed', { time: tn('paper.hours', Number(values.timeHours)) })}</span>
        <span>{t('paper.maximum', { marks: values.marks })}</span>
      </p>
      <p className="flex justify-between gap-4 border-b border-paper-ink pb-2.5 text-sm">
        <span className="max-w-[60%] shrink-0">{values.board || t('builder.board')}</span>
        <span className="min-w-0 text-right">
          {values.book.trim() || t('builder.book')} ({values.publisher.trim() || t('builder.publisher')})
        </span>
      </p>
      <BlankParts parts={parts} startedAt={startedAt} />
    </BlankSheet>
  );
}
