import { MarginSection } from '@/components/margin-section';
import { formatDateWithWeekday } from '@/lib/dates';
import { useI18n } from '@/lib/i18n';
import { communicationTypes, tones } from '@/lib/options/communication';
import { translateChoices } from '@/lib/options/choices';
import { useFormValues } from '../use-form-values';
import { LongTextField, RadioGroup, TextField } from './fields';
import { PreviewFrame } from './preview-frame';
import { BlankPart, blank, orBlank, PreviewPaper } from './preview-paper';

const empty = {
  type: '',
  school: '',
  audience: '',
  role: '',
  sender: '',
  date: '',
  purpose: '',
  details: '',
  tone: tones[0]?.value ?? '',
};

/**
 * The public preview of the communication form, without signature, output and email
 * (SPECIFICATION.md S-087, S-088).
 */
export function CommunicationPreview() {
  const { t, language } = useI18n();
  const { values, bind, filled } = useFormValues(empty);
  const types = translateChoices(communicationTypes, t);
  const type = types.find(({ value }) => value === values.type)?.label ?? t('preview.message');
  return (
    <PreviewFrame
      title={t('preview.messageTitle')}
      lead={t('preview.messageLead')}
      home={false}
      action={t('message.generate')}
      note={t('preview.note')}
      paper={
        <PreviewPaper
          label={t('preview.messagePaper')}
          heading={values.school.trim() || type}
          detail={t('preview.subject', { subject: orBlank(values.purpose) })}
          left={t('message.to', { audience: orBlank(values.audience) })}
          right={
            values.date ? formatDateWithWeekday(values.date, language) : t('preview.date', { date: blank })
          }
        >
          <BlankPart title={t('preview.greeting')} lines={4} />
          <p className="mt-6">{orBlank(values.sender)}</p>
          <p>{values.role.trim() || t('preview.role')}</p>
        </PreviewPaper>
      }
    >
      <MarginSection number={1} title={t('preview.message')} complete={filled('type', 'tone')}>
        <div className="grid gap-4">
          <RadioGroup label={t('message.type')} options={types} {...bind('type')} />
          <RadioGroup label={t('message.tone')} options={translateChoices(tones, t)} {...bind('tone')} />
        </div>
      </MarginSection>
      <MarginSection
        number={2}
        title={t('preview.fromAndTo')}
        complete={filled('audience', 'role', 'sender')}
      >
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField label={t('message.school')} optional {...bind('school')} />
          <TextField label={t('message.audience')} {...bind('audience')} />
          <TextField label={t('message.senderRole')} {...bind('role')} />
          <TextField label={t('message.senderName')} {...bind('sender')} />
        </div>
      </MarginSection>
      <MarginSection number={3} title={t('preview.about')} complete={filled('date', 'purpose', 'details')}>
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField label={t('message.date')} type="date" {...bind('date')} />
          <TextField label={t('message.purpose')} {...bind('purpose')} />
          <LongTextField label={t('message.details')} {...bind('details')} className="sm:col-span-2" />
        </div>
      </MarginSection>
    </PreviewFrame>
  );
}
