import { lazy, Suspense } from 'react';
import { FinishedDocument, usePreload } from '@/builder/components/finished-document';
import { History } from '@/builder/components/history';
import { PlainText } from '@/builder/components/plain-text';
import type { DocumentLanguage } from '@/builder/document-language';
import type { GeneratedDocument } from '@/builder/tool';
import type { Activity, Finished } from '@/builder/use-generation';
import { Card } from '@/components/ui/card';
import { useI18n } from '@/lib/i18n';
import { retryableImport } from '@/lib/retryable-import';
import type { LessonPlanDocument } from '../document-schema';
import { lessonPlanTool } from '../lesson-plan-tool';
import { periodPlan } from '../period-plan';
import type { LessonPlanForm } from '../schema';

/**
 * The preview is below the form on phones and beside it elsewhere. The form does not wait for it.
 */
const BlankPlan = lazy(() => import('./blank-plan').catch(() => ({ default: () => null })));
const loadDocument = retryableImport(() => import('./plan-document'));
const PlanDocument = lazy(() =>
  loadDocument().then(
    (module) => ({ default: module.PlanDocument }),
    () => ({ default: PlanText }),
  ),
);

interface PlanColumnProps {
  values: LessonPlanForm;
  language: DocumentLanguage;
  activity: Activity;
  finished: Finished<LessonPlanForm, LessonPlanDocument> | null;
  userId: string;
  /** The headings that follow a sample, once it is read. */
  followed: readonly string[];
}

/** The preview of the plan, and the plan itself once it is paid (SPECIFICATION.md D24). */
export function PlanColumn({ values, language, activity, finished, userId, followed }: PlanColumnProps) {
  const { t } = useI18n();
  const generating = activity.kind === 'generating';
  usePreload(generating, loadDocument);
  if (finished && !generating) {
    return (
      <FinishedDocument title={t('lesson.ready')} document={finished.document} mail={finished.mail}>
        <PlanDocument plan={finished.document} />
      </FinishedDocument>
    );
  }
  return (
    <>
      <PeriodPlan periods={values.periods} />
      <Suspense>
        <BlankPlan
          values={values}
          language={language.code}
          startedAt={generating ? activity.startedAt : null}
          followed={followed}
        />
      </Suspense>
      <History tool={lessonPlanTool} userId={userId} />
    </>
  );
}

function PeriodPlan({ periods }: { periods: string }) {
  const { t, tn } = useI18n();
  const plan = periodPlan(periods);
  return (
    <Card className="px-[18px] py-4">
      <h2 className="text-lg font-bold">{t('period.title')}</h2>
      <ol className="mt-1">
        {plan.map((step, index) => (
          // A step of a plan has no identity except its position.
          <li key={index} className="flex gap-3 border-b border-dashed border-border py-2 text-sm">
            <span className="w-5 tabular-nums">{index + 1}.</span>
            <span className="flex-1">{t(step)}</span>
          </li>
        ))}
      </ol>
      <p className="flex justify-between pt-2 font-bold">
        <span>{t('period.total')}</span>
        <span className="text-success tabular-nums">{tn('period.count', plan.length)}</span>
      </p>
    </Card>
  );
}

function PlanText({ plan }: { plan: GeneratedDocument<LessonPlanDocument> }) {
  return <PlainText document={plan} />;
}
