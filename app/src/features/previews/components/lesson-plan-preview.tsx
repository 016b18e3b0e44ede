import { MarginSection } from '@/components/margin-section';
import { boards, classes, subjects } from '@/lib/curriculum';
import { defaultPeriods, named, periodOptions } from '@/lib/tool-options';
import { useValues } from '../use-values';
import { SelectField, TextField } from './fields';
import { PreviewFrame } from './preview-frame';
import { BlankPart, orBlank, PreviewPaper } from './preview-paper';
import { SampleField } from './sample-field';
import { StepIndicator } from './step-indicator';

const empty = {
  board: '',
  grade: '',
  subject: '',
  periods: defaultPeriods,
  chapter: '',
  book: '',
  publisher: '',
};

/** The lesson plan's form for everybody (screens.md S-077 to S-081). */
export function LessonPlanPreview() {
  const { values, bind, filled } = useValues(empty);
  const basics = filled('board', 'grade', 'subject');
  const details = filled('chapter', 'book', 'publisher', 'periods');
  return (
    <PreviewFrame
      title="AI Lesson Plan Generator"
      lead="Say what you teach. The plan comes period by period, with outcomes, board work, questions to ask and homework."
      steps={
        <StepIndicator steps={['Board', 'Details', 'Generate']} complete={basics ? (details ? 2 : 1) : 0} />
      }
      action="Start Plan Builder"
      note="Your first 20 credits are on us, enough for one plan. You sign in with your email; what you typed here is not sent."
      paper={
        <PreviewPaper
          label="Your plan so far"
          heading={`${values.subject || 'Subject'} · ${values.grade || 'Class'}`}
          detail={`Chapter: ${orBlank(values.chapter)}`}
          left={values.board || 'Board'}
          right={`${values.book.trim() || 'Book'} (${values.publisher.trim() || 'Publisher'})`}
        >
          <BlankPart title="Learning outcomes" />
          <BlankPart title="Key terms" lines={1} />
          {Array.from({ length: Number(values.periods) }, (_, index) => (
            <BlankPart key={index} title={`Period ${index + 1}`} lines={1} />
          ))}
        </PreviewPaper>
      }
    >
      <MarginSection number={1} title="Basic Information" complete={basics}>
        <div className="grid gap-4 sm:grid-cols-2">
          <SelectField
            label="Board"
            {...bind('board')}
            options={boards}
            placeholder="Choose a board"
            className="sm:col-span-2"
          />
          <SelectField label="Class" {...bind('grade')} options={classes} placeholder="Choose a class" />
          <SelectField
            label="Subject"
            {...bind('subject')}
            options={subjects}
            placeholder="Choose a subject"
          />
        </div>
      </MarginSection>
      <MarginSection number={2} title="Lesson Plan Details" complete={details}>
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField label="Chapter" {...bind('chapter')} className="sm:col-span-2" />
          <TextField label="Book" {...bind('book')} />
          <TextField label="Publisher" {...bind('publisher')} />
          <SelectField label="Number of periods" {...bind('periods')} options={named(periodOptions)} />
        </div>
      </MarginSection>
      <MarginSection number={3} title="Optional Sample Material" complete={false}>
        <SampleField label="Sample lesson" />
      </MarginSection>
    </PreviewFrame>
  );
}
