import { ActionBar } from '@/builder/components/action-bar';
import { BuilderGrid } from '@/builder/components/builder-grid';
import { ChoiceGroup } from '@/builder/components/fields';
import { hintOf, Price, Progress } from '@/builder/components/generate-actions';
import { useBuilder, type BuilderProps } from '@/builder/use-builder';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { useI18n } from '@/lib/i18n';
import { communicationTool } from '../communication-tool';
import { messageLanguage } from '../message-language';
import type { CommunicationForm } from '../schema';
import { AboutSection, ContentSection } from './form-sections';
import { MessageColumn } from './message-column';

const buttonTexts = {
  idle: 'message.generate',
  generating: 'message.generating',
  sending: 'builder.sendingEmail',
} as const;

/**
 * The form on the left of the message (SPECIFICATION.md 13).
 * It has one button, and the output is chosen beside it.
 */
export function CommunicationBuilder(props: BuilderProps) {
  const { user, cost } = props;
  const { t, language: shown } = useI18n();
  const builder = useBuilder({ ...props, tool: communicationTool });
  const { values, activity, finished, busy, missing, loadFailed } = builder;
  const delivery = values.outputType === 'email' ? 'email' : 'download';
  const typed = `${values.purpose} ${values.keyDetails}`.trim();
  const beside = `${values.targetAudience} ${values.senderRole} ${values.schoolName}`;
  const language = messageLanguage(typed, beside);
  const outputs = [
    { value: 'download', label: t('message.asDownload') },
    { value: 'email', label: t('message.asEmail') },
  ];

  return (
    <BuilderGrid
      builder={builder}
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy && !loadFailed) void builder.generate(delivery);
      }}
      generate={
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
          {missing.length > 0 ? <p className="mb-1 font-semibold">{t('builder.incomplete')}</p> : null}
          <p className="text-muted-foreground">{t(hintOf(builder), { cost })}</p>
          <ActionBar missing={missing}>
            {activity.kind === 'generating' ? (
              <Progress activity={activity} onCancel={builder.cancel} />
            ) : null}
            <Button
              type="submit"
              size="lg"
              disabled={missing.length > 0 || loadFailed || busy}
              className="w-full md:mt-4 md:w-auto"
            >
              <span>
                {t(buttonTexts[activity.kind])} <Price builder={builder} cost={cost} delivery={delivery} />
              </span>
            </Button>
          </ActionBar>
        </Card>
      }
      column={
        <MessageColumn
          values={values}
          language={typed ? language.code : shown}
          activity={activity}
          finished={finished}
          userId={user.id}
        />
      }
    >
      <AboutSection values={values} disabled={busy} />
      <ContentSection values={values} language={language} disabled={busy} />
    </BuilderGrid>
  );
}
