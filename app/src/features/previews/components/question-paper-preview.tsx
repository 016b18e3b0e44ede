import { useState } from 'react';
import { MarginSection } from '@/components/margin-section';
import { boards, classes } from '@/lib/curriculum';
import {
  hourOptions,
  markOptions,
  named,
  paperDefaults,
  paperDifficulties,
  paperSubjects,
  questionTypes,
  sectionOptions,
} from '@/lib/tool-options';
import { useValues } from '../use-values';
import { CheckGroup, SelectField, TextField } from './fields';
import { PreviewFrame } from './preview-frame';
import { BlankPart, orBlank, PreviewPaper } from './preview-paper';
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

/** The question paper's form for everybody (screens.md S-082, S-083). */
export function QuestionPaperPreview() {
  const { values, bind, filled } = useValues<Values>(empty);
  const [types, setTypes] = useState<string[]>([]);
  return (
    <PreviewFrame
      title="Create Question Paper"
      lead="Choose marks, time, sections and kinds of questions. The marks always add up, and the answer key comes with the paper."
      action="Start Question Paper Builder"
      note="You sign in with your email; what you typed here is not sent."
      paper={<BlankPaper values={values} />}
    >
      <MarginSection
        number={1}
        title="Board"
        complete={filled('board', 'grade', 'subject', 'chapter', 'book', 'publisher')}
      >
        <div className="grid gap-4 sm:grid-cols-2">
          <SelectField label="Board" {...bind('board')} options={boards} placeholder="Choose a board" />
          <SelectField label="Class" {...bind('grade')} options={classes} placeholder="Choose a class" />
          <SelectField
            label="Subject"
            {...bind('subject')}
            options={paperSubjects}
            placeholder="Choose a subject"
          />
          <TextField label="Chapter" {...bind('chapter')} />
          <TextField label="Book" {...bind('book')} />
          <TextField label="Publisher" {...bind('publisher')} />
        </div>
      </MarginSection>
      <MarginSection number={2} title="Details" complete={filled('difficulty') && types.length > 0}>
        <div className="grid grid-cols-2 gap-4 sm:grid-cols-3">
          <SelectField label="Total marks" {...bind('marks')} options={named(markOptions)} />
          <SelectField label="Time" {...bind('timeHours')} options={hourOptions} />
          <SelectField label="Sections" {...bind('numberOfSections')} options={named(sectionOptions)} />
          <SelectField
            label="Difficulty"
            {...bind('difficulty')}
            options={paperDifficulties}
            placeholder="Choose a difficulty"
            className="col-span-2 sm:col-span-3"
          />
          <CheckGroup
            label="Question types"
            options={questionTypes}
            values={types}
            onChange={setTypes}
            className="col-span-2 sm:col-span-3"
          />
        </div>
      </MarginSection>
      <MarginSection number={3} title="Sample paper" complete={false}>
        <SampleField label="A paper of your school" />
      </MarginSection>
    </PreviewFrame>
  );
}

function BlankPaper({ values }: { values: Values }) {
  const time = hourOptions.find(({ value }) => value === values.timeHours)?.label ?? '';
  return (
    <PreviewPaper
      label="Your paper so far"
      heading={`${values.subject || 'Subject'} · ${values.grade || 'Class'}`}
      detail={`Chapter: ${orBlank(values.chapter)}`}
      left={`Time: ${time}`}
      right={`Maximum Marks: ${values.marks}`}
    >
      {Array.from({ length: Number(values.numberOfSections) }, (_, index) => (
        <BlankPart key={index} title={`SECTION ${String.fromCharCode(65 + index)}`} centred />
      ))}
    </PreviewPaper>
  );
}
