import { MarginSection } from '@/components/margin-section';
import { boards } from '@/lib/curriculum';
import { useI18n } from '@/lib/i18n';
import { classOptions, namedOptions } from '@/lib/options/choices';
import { defaultPeriods, periodOptions } from '@/lib/options/lesson-plan';
import { subjectOptions, subjects } from '@/lib/options/subjects';
import { useFormValues } from '../use-form-values';
import { SelectField, TextField } from './fields';
import { PreviewFrame } from './preview-frame';
import { BlankPart, labelOf, orBlank, PreviewPaper } from './preview-paper';
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

/** The public preview of the lesson plan's form (SPECIFICATION.md S-077 to S-081). */
export function LessonPlanPreview() {
  const { t } = useI18n();
  const { values, bind, filled } = useFormValues(empty);
  const basics = filled('board', 'grade', 'subject');
  const classes = classOptions(t);
  const taught = subjectOptions(subjects, t);
  const details = filled('chapter', 'book', 'publisher', 'periods');
  return (
    <PreviewFrame
      title={t('preview.planTitle')}
      lead={t('preview.planLead')}
      steps={
        <StepIndicator
          steps={[t('builder.boardStep'), t('builder.detailsStep'), t('builder.generateStep')]}
          complete={basics ? (details ? 2 : 1) : 0}
        />
      }
      action={t('preview.planAction')}
      note={t('preview.planNote')}
      paper={
        <PreviewPaper
          label={t('preview.planPaper')}
          heading={`${labelOf(taught, values.subject) ?? t('builder.subject')} · ${labelOf(classes, values.grade) ?? t('builder.class')}`}
          detail={`${t('document.chapter')}: ${orBlank(values.chapter)}`}
          left={values.board || t('builder.board')}
          right={`${values.book.trim() || t('builder.book')} (${values.publisher.trim() || t('builder.publisher')})`}
        >
          <BlankPart title={t('document.outcomes')} />
          <BlankPart title={t('document.keyTerms')} lines={1} />
          {Array.from({ length: Number(values.periods) }, (_, index) => (
            <BlankPart key={index} title={t('document.period', { number: index + 1 })} lines={1} />
          ))}
        </PreviewPaper>
      }
    >
      <MarginSection number={1} title={t('preview.planBasics')} complete={basics}>
        <div className="grid gap-4 sm:grid-cols-2">
          <SelectField
            label={t('builder.board')}
            {...bind('board')}
            options={boards}
            placeholder={t('builder.chooseBoard')}
            className="sm:col-span-2"
          />
          <SelectField
            label={t('builder.class')}
            {...bind('grade')}
            options={classes}
            placeholder={t('builder.chooseClass')}
          />
          <SelectField
            label={t('builder.subject')}
            {...bind('subject')}
            options={taught}
            placeholder={t('builder.chooseSubject')}
          />
        </div>
      </MarginSection>
      <MarginSection number={2} title={t('preview.planDetails')} complete={details}>
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField label={t('builder.chapter')} {...bind('chapter')} className="sm:col-span-2" />
          <TextField label={t('builder.book')} {...bind('book')} />
          <TextField label={t('builder.publisher')} {...bind('publisher')} />
          <SelectField
            label={t('lesson.periods')}
            {...bind('periods')}
            options={namedOptions(periodOptions)}
          />
        </div>
      </MarginSection>
      <MarginSection number={3} title={t('preview.planSample')} complete={false}>
        <SampleField label={t('lesson.sample')} />
      </MarginSection>
    </PreviewFrame>
  );
}
