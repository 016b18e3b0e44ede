import { languageName, type DocumentLanguage } from '@/builder/document-language';
import { ChoiceGroup, TextAreaField, TextField } from '@/builder/components/fields';
import { MarginSection } from '@/components/margin-section';
import { useI18n } from '@/lib/i18n';
import { communicationTypes, tones } from '@/lib/options/communication';
import { translateChoices } from '@/lib/options/choices';
import { limits } from '../form';
import type { CommunicationForm } from '../schema';

interface SectionProps {
  values: CommunicationForm;
  disabled: boolean;
}

const filled = (texts: readonly string[]) => texts.every((text) => text.trim() !== '');

export function AboutSection({ values, disabled }: SectionProps) {
  const { t } = useI18n();
  const complete = filled([
    values.communicationType,
    values.targetAudience,
    values.senderRole,
    values.senderName,
  ]);
  return (
    <MarginSection number={1} title={t('message.about')} complete={complete}>
      <fieldset disabled={disabled} className="grid gap-4 sm:grid-cols-2">
        <ChoiceGroup<CommunicationForm>
          type="radio"
          name="communicationType"
          label={t('message.type')}
          options={translateChoices(communicationTypes, t)}
          className="sm:col-span-2"
        />
        <TextField<CommunicationForm>
          name="schoolName"
          label={t('message.school')}
          optional
          className="sm:col-span-2"
        />
        <TextField<CommunicationForm>
          name="targetAudience"
          label={t('message.audience')}
          hint={t('message.audienceHint')}
          className="sm:col-span-2"
        />
        <TextField<CommunicationForm>
          name="senderRole"
          label={t('message.senderRole')}
          hint={t('message.senderRoleHint')}
        />
        <TextField<CommunicationForm> name="senderName" label={t('message.senderName')} />
      </fieldset>
    </MarginSection>
  );
}

export function ContentSection({
  values,
  language,
  disabled,
}: SectionProps & { language: DocumentLanguage }) {
  const { t, language: shown } = useI18n();
  const typed = [values.purpose, values.keyDetails].some((text) => text.trim() !== '');
  const reason = language.by === 'script' ? 'builder.languageByScript' : 'message.languageByText';
  const complete = filled([values.eventDate, values.purpose, values.keyDetails, values.tone]);
  return (
    <MarginSection number={2} title={t('message.content')} complete={complete}>
      <fieldset disabled={disabled} className="grid gap-4">
        <TextField<CommunicationForm>
          name="eventDate"
          type="date"
          label={t('message.date')}
          className="sm:max-w-60"
        />
        <TextField<CommunicationForm>
          name="purpose"
          label={t('message.purpose')}
          maxLength={limits.purpose}
        />
        <TextAreaField<CommunicationForm>
          name="keyDetails"
          label={t('message.details')}
          hint={
            typed
              ? `${t('builder.language', { language: languageName(language.code, shown) })} ${t(reason)}`
              : undefined
          }
          rows={5}
          maxLength={limits.keyDetails}
        />
        <ChoiceGroup<CommunicationForm>
          type="radio"
          name="tone"
          label={t('message.tone')}
          options={translateChoices(tones, t)}
        />
        <TextField<CommunicationForm>
          name="signature"
          label={t('message.signature')}
          optional
          maxLength={limits.signature}
        />
      </fieldset>
    </MarginSection>
  );
}
