import { formResolver } from '@/builder/form-resolver';
import { useRef, useState } from 'react';
import { FormProvider, useForm, useWatch } from 'react-hook-form';
import type { Wallet } from '@/builder/charge';
import { BuilderGrid } from '@/builder/components/builder-grid';
import { ForecastNote } from '@/builder/components/forecast-note';
import { GenerateActions } from '@/builder/components/generate-actions';
import { useBeginning, useBuilder } from '@/builder/use-builder';
import { useDocumentLanguage } from '@/builder/use-document-language';
import { useSettledForecast } from '@/builder/use-settled-forecast';
import { MarginSection } from '@/components/margin-section';
import { Card } from '@/components/ui/card';
import { useI18n } from '@/lib/i18n';
import type { SessionUser } from '@/lib/session';
import { lessonPlanTool } from '../lesson-plan-tool';
import { lessonPlanSchema, requestOf, type LessonPlanForm } from '../schema';
import { ChapterBoard, DetailsSection } from './form-sections';
import { PlanColumn } from './plan-column';
import { StartButton } from './start-button';

interface LessonPlanBuilderProps {
  user: SessionUser;
  wallet: Wallet;
  cost: number;
  onInsufficient: (coins: number) => void;
  onSignedOut: () => void;
}

/** The form on the left of what it will become (screens.md 10, decisions.md D24). */
export function LessonPlanBuilder(props: LessonPlanBuilderProps) {
  const { user, cost } = props;
  const { t } = useI18n();
  const beginning = useBeginning(lessonPlanTool, user.id);
  const form = useForm<LessonPlanForm>({
    resolver: formResolver(lessonPlanSchema),
    defaultValues: beginning.form,
    mode: 'onTouched',
  });
  const values: LessonPlanForm = { ...beginning.form, ...useWatch({ control: form.control }) };
  const builder = useBuilder({ ...props, tool: lessonPlanTool, form, values, beginning });
  const { activity, finished, busy, missing, paidAlready, sample } = builder;
  const complete = missing.length === 0;
  const [started, setStarted] = useState(beginning.pending);
  const asked = started && complete && !paidAlready && !busy;
  const forecast = useSettledForecast(lessonPlanTool.functionName, asked ? requestOf(values, sample) : null);
  const language = useDocumentLanguage(values, forecast);

  // The button goes with the step that it ends: the focus moves on to the step that begins.
  const generateHeading = useRef<HTMLHeadingElement>(null);
  function start() {
    setStarted(true);
    generateHeading.current?.focus();
  }

  return (
    <FormProvider {...form}>
      <BuilderGrid
        finished={finished !== null}
        form={
          <form noValidate onSubmit={(event) => form.handleSubmit(start, builder.refuseIncomplete)(event)}>
            <ChapterBoard values={values} disabled={busy} />
            <DetailsSection
              values={values}
              language={language}
              disabled={busy}
              sample={sample}
              onSample={builder.setSample}
            />
            <MarginSection
              number={3}
              title={t('builder.generateStep')}
              complete={finished !== null}
              last
              headingRef={generateHeading}
            >
              {started && complete ? (
                <Card className="p-4 sm:p-5">
                  <ForecastNote forecast={forecast} />
                  <GenerateActions
                    cost={cost}
                    activity={activity}
                    download={t('lesson.download')}
                    paidAlready={paidAlready}
                    recoverable={builder.recoverable}
                    onGenerate={builder.make}
                    onCancel={builder.cancel}
                  />
                </Card>
              ) : (
                <StartButton missing={missing} />
              )}
            </MarginSection>
          </form>
        }
        columnRef={builder.column}
        column={
          <PlanColumn
            values={values}
            language={language}
            activity={activity}
            finished={finished}
            userId={user.id}
          />
        }
      />
    </FormProvider>
  );
}
