import { MarginSection } from '@/components/margin-section';
import { formatDateWithWeekday } from '@/lib/dates';
import { communicationTypes, tones } from '@/lib/tool-options';
import { useValues } from '../use-values';
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

/** The communication form for everybody, without signature, output and email (screens.md S-087, S-088). */
export function CommunicationPreview() {
  const { values, bind, filled } = useValues(empty);
  const type = communicationTypes.find(({ value }) => value === values.type)?.label ?? 'Message';
  return (
    <PreviewFrame
      title="Communication Tool"
      lead="WhatsApp notes, PTM messages and formal letters to parents, with the right date and its weekday."
      home={false}
      action="Generate Communication"
      note="You sign in with your email; what you typed here is not sent."
      paper={
        <PreviewPaper
          label="Your message so far"
          heading={values.school.trim() || type}
          detail={`Subject: ${orBlank(values.purpose)}`}
          left={`To: ${orBlank(values.audience)}`}
          right={values.date ? formatDateWithWeekday(values.date) : `Date: ${blank}`}
        >
          <BlankPart title="Dear parents and guardians," lines={4} />
          <p className="mt-6">{orBlank(values.sender)}</p>
          <p>{values.role.trim() || 'Role'}</p>
        </PreviewPaper>
      }
    >
      <MarginSection number={1} title="Message" complete={filled('type', 'tone')}>
        <div className="grid gap-4">
          <RadioGroup label="Communication type" options={communicationTypes} {...bind('type')} />
          <RadioGroup label="Tone" options={tones} {...bind('tone')} />
        </div>
      </MarginSection>
      <MarginSection number={2} title="From and to" complete={filled('audience', 'role', 'sender')}>
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField label="School name" optional {...bind('school')} />
          <TextField label="Target audience" {...bind('audience')} />
          <TextField label="Sender role" {...bind('role')} />
          <TextField label="Sender name" {...bind('sender')} />
        </div>
      </MarginSection>
      <MarginSection number={3} title="What it is about" complete={filled('date', 'purpose', 'details')}>
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField label="Event date" type="date" {...bind('date')} />
          <TextField label="Purpose or subject" {...bind('purpose')} />
          <LongTextField label="Key details" {...bind('details')} className="sm:col-span-2" />
        </div>
      </MarginSection>
    </PreviewFrame>
  );
}
