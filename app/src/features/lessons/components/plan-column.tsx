import { Check, Download } from 'lucide-react';
import type { Ref } from 'react';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { useI18n } from '@/lib/i18n';
import type { LessonPlan } from '../api/generate-lesson-plan';
import { periodPlan } from '../period-plan';
import type { LessonPlanForm } from '../schema';
import type { Activity, FinishedPlan } from '../use-lesson-plan';
import { BlankPlan } from './blank-plan';
import { PlanDocument } from './plan-document';

interface PlanColumnProps {
  ref: Ref<HTMLDivElement>;
  values: LessonPlanForm;
  activity: Activity;
  finished: FinishedPlan | null;
  onSave: (plan: LessonPlan) => void;
}

/** What the plan will be while it is filled in, and the plan itself once it is paid (decisions.md D24). */
export function PlanColumn({ ref, values, activity, finished, onSave }: PlanColumnProps) {
  const generating = activity.kind === 'generating';
  const showFinished = finished !== null && !generating;
  return (
    <div ref={ref} tabIndex={-1} className="grid min-w-0 gap-3.5 outline-none lg:sticky lg:top-4">
      {showFinished ? (
        <Finished plan={finished.plan} onSave={onSave} />
      ) : (
        <>
          <PeriodPlan periods={values.periods} />
          <BlankPlan values={values} startedAt={generating ? activity.startedAt : null} />
        </>
      )}
    </div>
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
          // The steps of a plan have no identity but their place.
          <li key={index} className="flex gap-3 border-b border-dashed border-border py-2 text-sm">
            <span className="w-5 tabular-nums">{index + 1} ·</span>
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

function Finished({ plan, onSave }: { plan: LessonPlan; onSave: (plan: LessonPlan) => void }) {
  const { t } = useI18n();
  const warnings = new Set([...plan.warnings, ...(plan.document?.warnings ?? [])]);
  warnings.delete(plan.document?.label ?? '');
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h2 className="flex items-center gap-2 text-xl font-bold">
          <Check
            aria-hidden="true"
            strokeWidth={3}
            className="size-6 text-success [&_path]:animate-tick [&_path]:[stroke-dasharray:24]"
          />
          {t('lesson.ready')}
        </h2>
        <Button
          variant="outline"
          onClick={() => {
            onSave(plan);
          }}
        >
          <Download aria-hidden="true" />
          {t('lesson.downloadAgain')}
        </Button>
      </div>
      {[...warnings].map((warning) => (
        <p key={warning} className="rounded-control bg-accent-soft px-4 py-3 text-sm">
          {warning}
        </p>
      ))}
      <PlanDocument plan={plan} />
    </>
  );
}
