import { MarginSection } from '@/components/margin-section';
import { useI18n } from '@/lib/i18n';
import { translateChoices } from '@/lib/options/choices';
import { aidSubjects, subjectOptions } from '@/lib/options/subjects';
import {
  aidBoards,
  aidDifficulties,
  aidFormats,
  aidPages,
  ordinalClassOptions,
} from '@/lib/options/teaching-aids';
import { publicAidTypes } from '../aid-types';
import { useFormValues } from '../use-form-values';
import { LongTextField, SelectField, TextField } from './fields';
import { PreviewFrame } from './preview-frame';
import { BlankPart, labelOf, orBlank, PreviewPaper } from './preview-paper';
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

/** The public preview of the teaching aids' form (SPECIFICATION.md S-084 to S-086). */
export function TeachingAidsPreview() {
  const { t, language } = useI18n();
  const { values, bind, filled } = useFormValues(empty);
  const aidTypes = translateChoices(publicAidTypes, t);
  const aid = labelOf(aidTypes, values.aidType);
  const taught = subjectOptions(aidSubjects, t);
  const grade = values.grade
    ? t('builder.classNumber', { number: parseInt(values.grade, 10) })
    : `${t('builder.class')} ____`;
  return (
    <PreviewFrame
      title={t('preview.aidsTitle')}
      lead={t('preview.aidsLead')}
      action={t('preview.aidsAction')}
      note={t('preview.note')}
      paper={
        <PreviewPaper
          label={t('preview.aidsPaper')}
          heading={aid ?? t('preview.aid')}
          detail={`${labelOf(taught, values.subject) ?? t('builder.subject')} · ${grade} · ${orBlank(values.chapter)}`}
          left={t('preview.pupilName')}
          right={t('preview.rollNumber')}
        >
          <BlankPart title={t('preview.youWillLearn')} />
          <BlankPart title={t('preview.yourTurn')} lines={5} />
        </PreviewPaper>
      }
    >
      <MarginSection number={1} title={t('builder.boardStep')} complete={filled('board', 'grade', 'subject')}>
        <div className="grid gap-4 sm:grid-cols-2">
          <SelectField
            label={t('builder.board')}
            {...bind('board')}
            options={aidBoards}
            placeholder={t('builder.chooseBoard')}
          />
          <SelectField
            label={t('builder.class')}
            {...bind('grade')}
            options={ordinalClassOptions(t, language)}
            placeholder={t('builder.chooseClass')}
          />
          <SelectField
            label={t('builder.subject')}
            {...bind('subject')}
            options={taught}
            placeholder={t('builder.chooseSubject')}
            className="sm:col-span-2"
          />
        </div>
      </MarginSection>
      <MarginSection
        number={2}
        title={t('builder.detailsStep')}
        complete={filled('aidType', 'chapter', 'objectives', 'difficulty', 'pages', 'format')}
      >
        <div className="grid gap-4 sm:grid-cols-2">
          <SelectField
            label={t('preview.aidType')}
            {...bind('aidType')}
            options={aidTypes}
            placeholder={t('preview.chooseAidType')}
            className="sm:col-span-2"
          />
          <TextField label={t('builder.chapter')} {...bind('chapter')} className="sm:col-span-2" />
          <LongTextField label={t('aids.objectives')} {...bind('objectives')} className="sm:col-span-2" />
          <SelectField
            label={t('aids.difficulty')}
            {...bind('difficulty')}
            options={translateChoices(aidDifficulties, t)}
            placeholder={t('aids.chooseDifficulty')}
          />
          <TextField
            label={t('aids.pages')}
            type="number"
            min={aidPages.min}
            max={aidPages.max}
            {...bind('pages')}
          />
          <SelectField
            label={t('aids.format')}
            {...bind('format')}
            options={translateChoices(aidFormats, t)}
            className="sm:col-span-2"
          />
        </div>
      </MarginSection>
      <MarginSection number={3} title={t('preview.sample')} complete={false}>
        <SampleField label={t('preview.aidSample')} />
      </MarginSection>
    </PreviewFrame>
  );
}
