import { MarginSection } from '@/components/margin-section';
import {
  aidBoards,
  aidClasses,
  aidDifficulties,
  aidFormats,
  aidPages,
  aidSubjects,
  publicAidTypes,
} from '@/lib/tool-options';
import { useValues } from '../use-values';
import { LongTextField, SelectField, TextField } from './fields';
import { PreviewFrame } from './preview-frame';
import { BlankPart, orBlank, PreviewPaper } from './preview-paper';
import { SampleField } from './sample-field';

const empty = {
  board: '',
  grade: '',
  subject: '',
  aidType: '',
  chapter: '',
  objectives: '',
  difficulty: '',
  pages: String(aidPages.publicDefault),
  format: aidFormats[0]?.value ?? '',
};

/** The teaching aids' form for everybody (screens.md S-084 to S-086). */
export function TeachingAidsPreview() {
  const { values, bind, filled } = useValues(empty);
  const aid = publicAidTypes.find(({ value }) => value === values.aidType)?.label;
  return (
    <PreviewFrame
      title="Teaching Aids"
      lead="Worksheets with room to write, games with their cards, rubrics with levels: ready to copy for the class."
      action="Start Teaching Aid Builder"
      note="You sign in with your email; what you typed here is not sent."
      paper={
        <PreviewPaper
          label="Your teaching aid so far"
          heading={aid ?? 'Teaching aid'}
          detail={`${values.subject || 'Subject'} · Class ${values.grade || '____'} · ${orBlank(values.chapter)}`}
          left="Name: ______________"
          right="Roll No.: ____"
        >
          <BlankPart title="What you will learn" />
          <BlankPart title="Your turn" lines={5} />
        </PreviewPaper>
      }
    >
      <MarginSection number={1} title="Board" complete={filled('board', 'grade', 'subject')}>
        <div className="grid gap-4 sm:grid-cols-2">
          <SelectField label="Board" {...bind('board')} options={aidBoards} placeholder="Choose a board" />
          <SelectField label="Class" {...bind('grade')} options={aidClasses} placeholder="Choose a class" />
          <SelectField
            label="Subject"
            {...bind('subject')}
            options={aidSubjects}
            placeholder="Choose a subject"
            className="sm:col-span-2"
          />
        </div>
      </MarginSection>
      <MarginSection
        number={2}
        title="Details"
        complete={filled('aidType', 'chapter', 'objectives', 'difficulty', 'pages', 'format')}
      >
        <div className="grid gap-4 sm:grid-cols-2">
          <SelectField
            label="Aid type"
            {...bind('aidType')}
            options={publicAidTypes}
            placeholder="Choose an aid type"
            className="sm:col-span-2"
          />
          <TextField label="Chapter" {...bind('chapter')} className="sm:col-span-2" />
          <LongTextField label="Learning objectives" {...bind('objectives')} className="sm:col-span-2" />
          <SelectField
            label="Difficulty"
            {...bind('difficulty')}
            options={aidDifficulties}
            placeholder="Choose a difficulty"
          />
          <TextField
            label="Number of pages"
            type="number"
            min={aidPages.min}
            max={aidPages.max}
            {...bind('pages')}
          />
          <SelectField
            label="Preferred format"
            {...bind('format')}
            options={aidFormats}
            className="sm:col-span-2"
          />
        </div>
      </MarginSection>
      <MarginSection number={3} title="Sample" complete={false}>
        <SampleField label="A sheet that you like" />
      </MarginSection>
    </PreviewFrame>
  );
}
