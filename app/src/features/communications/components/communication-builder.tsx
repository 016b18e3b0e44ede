import { formResolver } from '@/builder/form-resolver';
import { FormProvider, useForm, useWatch } from 'react-hook-form';
import type { Wallet } from '@/builder/charge';
import { ActionBar } from '@/builder/components/action-bar';
import { BuilderGrid } from '@/builder/components/builder-grid';
import { ChoiceGroup } from '@/builder/components/fields';
import { hintOf, Progress } from '@/builder/components/generate-actions';
import { useBeginning, useBuilder } from '@/builder/use-builder';
import { Cost } from '@/components/cost';
import { MarginSection } from '@/components/margin-section';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { useI18n } from '@/lib/i18n';
import type { SessionUser } from '@/lib/session';
import { communicationTool } from '../communication-tool';
import { communicationSchema, type CommunicationForm } from '../schema';
import { AboutSection, ContentSection } from './form-sections';
import { MessageColumn } from './message-column';

interface CommunicationBuilderProps {
  user: SessionUser;
  wallet: Wallet;
  cost: number;
  onInsufficient: (coins: number) => void;
  onSignedOut: () => void;
}

const buttonTexts = {
  idle: 'message.generate',
  generating: 'message.generating',
  sending: 'builder.sendingEmail',
} as const;

/** The form on the left of the message (screens.md 13); one button, and its output is chosen beside it. */
export function CommunicationBuilder(props: CommunicationBuilderProps) {
  const { user, cost } = props;
  const { t } = useI18n();
  const beginning = useBeginning(communicationTool, user.id);
  const form = useForm<CommunicationForm>({
    resolver: formResolver(communicationSchema),
    defaultValues: beginning.form,
    mode: 'onTouched',
  });
  const values: CommunicationForm = { ...beginning.form, ...useWatch({ control: form.control }) };
  const builder = useBuilder({ ...props, tool: communicationTool, form, values, beginning });
  const { activity, finished, busy, missing, paidAlready, recoverable } = builder;
  const outputs = [
    { value: 'download', label: t('message.asDownload') },
    { value: 'email', label: t('message.asEmail') },
  ];

  return (
    <FormProvider {...form}>
      <BuilderGrid
        finished={finished !== null}
        form={
          <form
            noValidate
            onSubmit={(event) => {
              event.preventDefault();
              if (!busy) void builder.make(values.outputType === 'email' ? 'email' : 'download');
            }}
          >
            <AboutSection values={values} disabled={busy} />
            <ContentSection values={values} disabled={busy} />
            <MarginSection number={3} title={t('builder.generateStep')} complete={finished !== null} last>
              <Card className="p-4 sm:p-5">
                <fieldset disabled={busy}>
                  <ChoiceGroup<CommunicationForm>
                    type="radio"
                    name="outputType"
                    label={t('message.output')}
                    options={outputs}
                    className="mb-4"
                  />
                </fieldset>
                <p className="text-muted-foreground">{t(hintOf({ paidAlready, recoverable }), { cost })}</p>
                <ActionBar missing={missing}>
                  {activity.kind === 'generating' ? (
                    <Progress activity={activity} onCancel={builder.cancel} />
                  ) : null}
                  <Button
                    type="submit"
                    size="lg"
                    disabled={missing.length > 0 || busy}
                    className="w-full md:mt-4 md:w-auto"
                  >
                    <span>
                      {t(buttonTexts[activity.kind])}{' '}
                      {recoverable ? null : <Cost credits={cost} className="whitespace-nowrap" />}
                    </span>
                  </Button>
                </ActionBar>
              </Card>
            </MarginSection>
          </form>
        }
        columnRef={builder.column}
        column={<MessageColumn values={values} activity={activity} finished={finished} userId={user.id} />}
      />
    </FormProvider>
  );
}
