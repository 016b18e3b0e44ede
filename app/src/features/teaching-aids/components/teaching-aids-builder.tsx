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
import { aidsTool } from '../aids-tool';
import { aidsSchema, requestOf, type AidsForm } from '../schema';
import { AidsColumn } from './aids-column';
import { ChapterBoard, DetailsSection } from './form-sections';

interface TeachingAidsBuilderProps {
  /** Null for a visitor, who may fill in the form (screens.md S-047). */
  user: SessionUser | null;
  wallet: Wallet;
  cost: number;
  onInsufficient: (coins: number) => void;
  /** A visitor pressed a button, or the session is over. */
  onSignedOut: () => void;
}

const nobody: SessionUser = { id: 'visitor', email: '' };

/** The form on the left of what the pages will hold (screens.md 12). */
export function TeachingAidsBuilder(props: TeachingAidsBuilderProps) {
  const { cost, onSignedOut } = props;
  const { t } = useI18n();
  const user = props.user ?? nobody;
  const beginning = useBeginning(aidsTool, user.id);
  const form = useForm<AidsForm>({
    resolver: formResolver(aidsSchema),
    defaultValues: beginning.form,
    mode: 'onTouched',
  });
  const values: AidsForm = { ...beginning.form, ...useWatch({ control: form.control }) };
  const builder = useBuilder({ ...props, user, tool: aidsTool, form, values, beginning });
  const { activity, finished, busy, missing, paidAlready } = builder;
  // A visitor cannot ask the function.
  const asked = props.user !== null && missing.length === 0 && !paidAlready && !busy;
  const forecast = useSettledForecast(aidsTool.functionName, asked ? requestOf(values) : null);
  const language = useDocumentLanguage(values, forecast);

  return (
    <FormProvider {...form}>
      <BuilderGrid
        finished={finished !== null}
        form={
          <form noValidate onSubmit={form.handleSubmit(() => undefined, builder.refuseIncomplete)}>
            <ChapterBoard values={values} disabled={busy} />
            <DetailsSection values={values} language={language} disabled={busy} />
            <MarginSection number={3} title={t('builder.generateStep')} complete={finished !== null} last>
              <Card className="p-4 sm:p-5">
                <ForecastNote forecast={forecast} />
                <p className="mb-1 font-semibold">{t('aids.cost', { cost })}</p>
                <GenerateActions
                  cost={cost}
                  activity={activity}
                  download={t('aids.download')}
                  labelled
                  missing={missing}
                  paidAlready={paidAlready}
                  recoverable={builder.recoverable}
                  onGenerate={async (delivery) => {
                    if (props.user) await builder.make(delivery);
                    else onSignedOut();
                  }}
                  onCancel={builder.cancel}
                />
              </Card>
            </MarginSection>
          </form>
        }
        columnRef={builder.column}
        column={
          <AidsColumn
            values={values}
            language={language}
            activity={activity}
            finished={finished}
            userId={props.user?.id}
          />
        }
      />
    </FormProvider>
  );
}
