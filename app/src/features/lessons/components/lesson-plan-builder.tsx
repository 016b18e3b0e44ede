import { zodResolver } from '@hookform/resolvers/zod';
import { useEffect, useRef, useState } from 'react';
import { FormProvider, useForm, useWatch } from 'react-hook-form';
import { useLeaveWarning } from '@/hooks/use-leave-warning';
import { useI18n } from '@/lib/i18n';
import type { SessionUser } from '@/lib/session';
import { toast } from '@/lib/toast';
import type { Wallet } from '../charge';
import { readPending } from '../pending-request';
import { emptyLessonPlan, isComplete, lessonPlanSchema, type LessonPlanForm } from '../schema';
import { useLessonPlan, type Delivery, type FinishedPlan } from '../use-lesson-plan';
import { ForecastNote } from './forecast-note';
import { BoardSection, DetailsSection } from './form-sections';
import { GeneratorCard } from './generator-card';
import { MarginSection } from '@/components/margin-section';
import { PlanColumn } from './plan-column';
import { StartButton } from './start-button';

interface LessonPlanBuilderProps {
  user: SessionUser;
  wallet: Wallet;
  cost: number;
  onInsufficient: (coins: number) => void;
}

/** The form on the left of what it will become (screens.md 10, decisions.md D24). */
export function LessonPlanBuilder({ user, wallet, cost, onInsufficient }: LessonPlanBuilderProps) {
  const { t } = useI18n();
  const [pending] = useState(() => readPending(user.id, Date.now()));
  const form = useForm<LessonPlanForm>({
    resolver: zodResolver(lessonPlanSchema),
    defaultValues: pending?.form ?? emptyLessonPlan,
    mode: 'onTouched',
  });
  const values: LessonPlanForm = { ...emptyLessonPlan, ...useWatch({ control: form.control }) };
  const [sample, setSample] = useState(pending?.sample ?? '');
  const [started, setStarted] = useState(pending !== null);
  const { activity, finished, generate, sendAgain, save, cancel } = useLessonPlan({
    user,
    wallet,
    onInsufficient,
  });
  const complete = isComplete(values);
  const busy = activity.kind !== 'idle';
  const paidAlready = finished !== null && isCurrent(finished, values, sample);
  useLeaveWarning(busy);

  const column = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!finished) return;
    column.current?.focus({ preventScroll: true });
    column.current?.scrollIntoView({ block: 'start' });
  }, [finished]);

  // The button goes with the step that it ends: the focus moves on to the step that begins.
  const generateHeading = useRef<HTMLHeadingElement>(null);
  function start() {
    setStarted(true);
    generateHeading.current?.focus();
  }

  function refuseIncomplete() {
    toast.error({ title: t('lesson.incomplete') });
  }

  async function make(delivery: Delivery) {
    const paid = finished && isCurrent(finished, form.getValues(), sample) ? finished : null;
    if (delivery === 'download' && paid?.mailFailed) {
      save(paid.plan);
      return;
    }
    if (delivery === 'email' && paid) {
      await sendAgain(paid.plan);
      return;
    }
    await form.handleSubmit((checked) => generate(checked, sample, delivery), refuseIncomplete)();
  }

  return (
    <FormProvider {...form}>
      <div
        className={
          finished
            ? 'grid items-start gap-x-10 gap-y-8 lg:grid-cols-[minmax(0,1fr)_minmax(0,560px)]'
            : 'grid items-start gap-x-10 gap-y-8 lg:grid-cols-[minmax(0,1fr)_400px]'
        }
      >
        <form noValidate onSubmit={(event) => form.handleSubmit(start, refuseIncomplete)(event)}>
          <BoardSection values={values} disabled={busy} />
          <DetailsSection values={values} disabled={busy} sample={sample} onSample={setSample} />
          <MarginSection
            number={3}
            title={t('lesson.generateStep')}
            complete={finished !== null}
            last
            headingRef={generateHeading}
          >
            {started && complete ? (
              <GeneratorCard
                cost={cost}
                activity={activity}
                paidAlready={paidAlready}
                forecast={paidAlready || busy ? null : <ForecastNote form={values} sample={sample} />}
                recoverable={pending !== null && finished === null}
                onGenerate={make}
                onCancel={cancel}
              />
            ) : (
              <StartButton disabled={!complete} />
            )}
          </MarginSection>
        </form>
        <PlanColumn ref={column} values={values} activity={activity} finished={finished} onSave={save} />
      </div>
    </FormProvider>
  );
}

function isCurrent(finished: FinishedPlan, values: LessonPlanForm, sample: string): boolean {
  const made = lessonPlanSchema.safeParse(values);
  return (
    made.success && finished.sample === sample && JSON.stringify(finished.form) === JSON.stringify(made.data)
  );
}
