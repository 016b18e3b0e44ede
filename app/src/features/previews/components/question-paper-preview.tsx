import { useState } from 'react';
import { MarginSection } from '@/components/margin-section';
import { boards } from '@/lib/curriculum';
import { useI18n } from '@/lib/i18n';
import { classOptions, translateChoices, namedOptions } from '@/lib/options/choices';
import {
  hourOptions,
  markOptions,
  paperDefaults,
  paperDifficulties,
  questionTypes,
  sectionOptions,
} from '@/lib/options/question-paper';
import { paperSubjects, subjectOptions } from '@/lib/options/subjects';
import { useFormValues } from '../use-form-values';
import { CheckGroup, SelectField, TextField } from './fields';
import { PreviewFrame } from './preview-frame';
import { BlankPart, labelOf, orBlank, PreviewPaper } from './preview-paper';
import { SampleField } from './sample-field';

const empty = {
  board: '',
  grade: '',
  subject: '',
  chapter: '',
  book: '',
  publisher: '',
  ...paperDefaults,
  difficulty: '',
};

type Values = Record<keyof typeof empty, string>;

/** The public preview of the question paper's form (SPECIFICATION.md S-082, S-083). */
export function QuestionPaperPreview() {
  const { t, tn } = useI18n();
  const { values, bind, filled } = useFormValues<Values>(empty);
  const [types, setTypes] = useState<string[]>([]);
  return (
    <PreviewFrame
      title={t('preview.paperTitle')}
      lead={t('preview.paperLead')}
      action={t('preview.paperAction')}
      note={t('preview.note')}
      paper={<BlankPaper values={values} />}
    >
      <MarginSection
        number={1}
        title={t('builder.boardStep')}
        complete={filled('board', 'grade', 'subject', 'chapter', 'book', 'publisher')}
      >
        <div className="grid gap-4 sm:grid-cols-2">
          <SelectField
            label={t('builder.board')}
            {...bind('board')}
            options={boards}
            placeholder={t('builder.chooseBoard')}
          />
          <SelectField
            label={t('builder.class')}
            {...bind('grade')}
            options={classOptions(t)}
            placeholder={t('builder.chooseClass')}
          />
          <SelectField
            label={t('builder.subject')}
            {...bind('subject')}
            options={subjectOptions(paperSubjects, t)}
            placeholder={t('builder.chooseSubject')}
          />
          <TextField label={t('builder.chapter')} {...bind('chapter')} />
          <TextField label={t('builder.book')} {...bind('book')} />
          <TextField label={t('builder.publisher')} {...bind('publisher')} />
        </div>
      </MarginSection>
      <MarginSection
        number={2}
        title={t('builder.detailsStep')}
        complete={filled('difficulty') && types.length > 0}
      >
        <div className="grid grid-cols-2 gap-4 sm:grid-cols-3">
          <SelectField label={t('paper.marks')} {...bind('marks')} options={namedOptions(markOptions)} />
          <SelectField
            label={t('paper.time')}
            {...bind('timeHours')}
            options={hourOptions.map((value) => ({ value, label: tn('paper.hours', Number(value)) }))}
          />
          <SelectField
            label={t('paper.sections')}
            {...bind('numberOfSections')}
            options={namedOptions(sectionOptions)}
            className="col-span-2 sm:col-span-1"
          />
          <SelectField
            label={t('paper.difficulty')}
            {...bind('difficulty')}
            options={translateChoices(paperDifficulties, t)}
            placeholder={t('paper.chooseDifficulty')}
            className="col-span-2 sm:col-span-3"
          />
          <CheckGroup
            label={t('paper.types')}
            options={translateChoices(questionTypes, t)}
            values={types}
            onChange={setTypes}
            className="col-span-2 sm:col-span-3"
          />
        </div>
      </MarginSection>
      <MarginSection number={3} title={t('paper.sample')} complete={false}>
        <SampleField label={t('preview.paperSample')} />
      </MarginSection>
    </PreviewFrame>
  );
}

function BlankPaper({ values }: { values: Values }) {
  const { t, tn } = useI18n();
  const time = tn('paper.hours', Number(values.timeHours));
  return (
    <PreviewPaper
      label={t('preview.paperPaper')}
      heading={`${labelOf(subjectOptions(paperSubjects, t), values.subject) ?? t('builder.subject')} · ${labelOf(classOptions(t), values.grade) ?? t('builder.class')}`}
      detail={`${t('document.chapter')}: ${orBlank(values.chapter)}`}
      left={t('paper.allowed', { time })}
      right={t('paper.maximum', { marks: values.marks })}
    >
      {Array.from({ length: Number(values.numberOfSections) }, (_, index) => (
        <BlankPart key={index} title={t('paper.section', { letter: String.fromCharCode(65 + index) })} />
      ))}
    </PreviewPaper>
  );
}
