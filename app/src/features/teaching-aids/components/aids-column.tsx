import { BlankParts, BlankSheet } from '@/builder/components/blank-parts';
import { FinishedDocument } from '@/builder/components/finished-document';
import { History } from '@/builder/components/history';
import { TextDocument } from '@/builder/components/text-document';
import type { Activity, Finished } from '@/builder/use-generation';
import { Card } from '@/components/ui/card';
import { useI18n } from '@/lib/i18n';
import { inWords } from '@/lib/option-texts';
import { aidTypes } from '@/lib/tool-options';
import { aidsTool } from '../aids-tool';
import { typeTexts } from '../option-texts';
import { pagesOf, type AidsForm } from '../schema';

interface AidsColumnProps {
  values: AidsForm;
  activity: Activity;
  finished: Finished<AidsForm, never> | null;
  /** Absent for a visitor, who has no history. */
  userId: string | undefined;
}

/** What the pages will hold, then the pages themselves. */
export function AidsColumn({ values, activity, finished, userId }: AidsColumnProps) {
  const { t, tn } = useI18n();
  const generating = activity.kind === 'generating';
  if (finished && !generating) {
    return (
      <FinishedDocument title={t('aids.ready')} document={finished.document} mail={finished.mail}>
        <TextDocument label={t('aids.document')} document={finished.document} />
      </FinishedDocument>
    );
  }
  const chosen = inWords(aidTypes, typeTexts, t).filter(({ value }) => values.aidTypes.includes(value));
  return (
    <>
      <Card className="px-[18px] py-4">
        <h2 className="text-lg font-bold">{t('aids.planTitle')}</h2>
        {chosen.length === 0 ? (
          <p className="mt-1 text-sm text-muted-foreground">{t('aids.planEmpty')}</p>
        ) : (
          <ul className="mt-1">
            {chosen.map(({ value, label }) => (
              <li key={value} className="border-b border-dashed border-border py-2 text-sm">
                {label}
              </li>
            ))}
          </ul>
        )}
        <p className="flex justify-between pt-2 font-bold">
          <span>{t('aids.pages')}</span>
          <span className="text-success tabular-nums">
            {tn('aids.planPages', pagesOf(values.numberOfPages))}
          </span>
        </p>
      </Card>
      <BlankSheet label={t('builder.preview')}>
        <h2 className="text-center text-[1.0625rem] leading-snug font-bold">
          {values.subject || t('builder.subject')} · {values.grade || t('builder.class')}
        </h2>
        <p className="border-b border-paper-ink pb-2.5 text-center text-sm">
          {t('document.chapter')}: {values.chapterName.trim() || '__________'}
        </p>
        <BlankParts
          parts={chosen.length ? chosen.map(({ label }) => ({ title: label })) : [{ title: t('aids.types') }]}
          startedAt={generating ? activity.startedAt : null}
        />
      </BlankSheet>
      {userId ? <History tool={aidsTool} userId={userId} /> : null}
    </>
  );
}
