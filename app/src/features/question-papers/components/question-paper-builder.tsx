import { formResolver } from '@/builder/form-resolver';
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
import { paperTool } from '../paper-tool';
import { paperSchema, requestOf, type PaperForm } from '../schema';
import { useMarksPlan } from '../use-marks-plan';
import { ChapterBoard, DetailsSection } from './form-sections';
import { PaperColumn } from './paper-column';

interface QuestionPaperBuilderProps {
  user: SessionUser;
  wallet: Wallet;
  cost: number;
  onInsufficient: (coins: number) => void;
  onSignedOut: () => void;
}

/** The form on the left of the marks plan and the paper (screens.md 11, decisions.md D24). */
export function QuestionPaperBuilder(props: QuestionPaperBuilderProps) {
  const { user, cost } = props;
  const { t } = useI18n();
  const beginning = useBeginning(paperTool, user.id);
  const form = useForm<PaperForm>({
    resolver: formResolver(paperSchema),
    defaultValues: beginning.form,
    mode: 'onTouched',
  });
  const values: PaperForm = { ...beginning.form, ...useWatch({ control: form.control }) };
  const builder = useBuilder({ ...props, tool: paperTool, form, values, beginning });
  const { activity, finished, busy, missing, paidAlready, sample } = builder;
  const asked = missing.length === 0 && !paidAlready && !busy;
  const forecast = useSettledForecast(paperTool.functionName, asked ? requestOf(values, sample) : null);
  const language = useDocumentLanguage(values, forecast);
  const plan = useMarksPlan(values);

  return (
    <FormProvider {...form}>
      <BuilderGrid
        finished={finished !== null}
        form={
          <form noValidate onSubmit={form.handleSubmit(() => undefined, builder.refuseIncomplete)}>
            <ChapterBoard values={values} disabled={busy} />
            <DetailsSection
              values={values}
              language={language}
              disabled={busy}
              sample={sample}
              onSample={builder.setSample}
            />
            <MarginSection number={3} title={t('builder.generateStep')} complete={finished !== null} last>
              <Card className="p-4 sm:p-5">
                <ForecastNote forecast={forecast} />
                <GenerateActions
                  cost={cost}
                  activity={activity}
                  download={t('paper.download')}
                  missing={missing}
                  paidAlready={paidAlready}
                  recoverable={builder.recoverable}
                  onGenerate={builder.make}
                  onCancel={builder.cancel}
                />
              </Card>
            </MarginSection>
          </form>
        }
        columnRef={builder.column}
        column={
          <PaperColumn
            values={values}
            language={language}
            plan={plan}
            activity={activity}
            finished={finished}
            userId={user.id}
          />
        }
      />
    </FormProvider>
  );
}
