import { ChoiceGroup, SelectField, TextField } from '@/builder/components/fields';
import { SampleUploadField } from '@/builder/components/sample-upload-field';
import { ChapterField } from '@/builder/components/chapter-field';
import { BoardSection } from '@/builder/components/board-section';
import type { DocumentLanguage } from '@/builder/document-language';
import type { Estimate } from '@/builder/api/estimate';
import type { BuilderSample } from '@/builder/use-sample';
import { MarginSection } from '@/components/margin-section';
import { boards } from '@/lib/curriculum';
import { useI18n } from '@/lib/i18n';
import { classOptions, translateChoices, namedOptions } from '@/lib/options/choices';
import {
  hourOptions,
  markOptions,
  paperDifficulties,
  questionTypes,
  sectionOptions,
} from '@/lib/options/question-paper';
import { paperSubjects, subjectOptions } from '@/lib/options/subjects';
import type { PaperForm } from '../schema';

interface SectionProps {
  values: PaperForm;
  disabled: boolean;
}

export function ChapterBoard({ values, disabled }: SectionProps) {
  const { t } = useI18n();
  return (
    <BoardSection
      values={values}
      disabled={disabled}
      boards={boards}
      classes={classOptions(t)}
      subjects={subjectOptions(paperSubjects, t)}
    />
  );
}

interface DetailsSectionProps extends SectionProps {
  language: DocumentLanguage;
  sample: BuilderSample;
  /** Why the sample cannot be used, if that is known. */
  sampleRefusal: string | undefined;
  estimate: Estimate | undefined;
}

export function DetailsSection(props: DetailsSectionProps) {
  const { values, language, disabled, sample, sampleRefusal, estimate } = props;
  const { t, tn } = useI18n();
  const texts = [values.chapterName, values.book, values.publisher, values.difficultyLevel];
  const complete = texts.every((text) => text.trim() !== '') && values.questionTypes.length > 0;
  const hours = hourOptions.map((value) => ({ value, label: tn('paper.hours', Number(value)) }));
  return (
    <MarginSection number={2} title={t('builder.detailsStep')} complete={complete}>
      <fieldset disabled={disabled} className="grid grid-cols-2 gap-4 sm:grid-cols-6">
        <ChapterField
          grade={values.grade}
          subject={values.subject}
          language={values.chapterName.trim() ? language : null}
          className="col-span-full"
        />
        <TextField<PaperForm> name="book" label={t('builder.book')} className="col-span-full sm:col-span-3" />
        <TextField<PaperForm>
          name="publisher"
          label={t('builder.publisher')}
          className="col-span-full sm:col-span-3"
        />
        <SelectField<PaperForm>
          name="marks"
          label={t('paper.marks')}
          options={namedOptions(markOptions)}
          className="sm:col-span-2"
        />
        <SelectField<PaperForm>
          name="timeHours"
          label={t('paper.time')}
          options={hours}
          className="sm:col-span-2"
        />
        <SelectField<PaperForm>
          name="numberOfSections"
          label={t('paper.sections')}
          options={namedOptions(sectionOptions)}
          className="col-span-full sm:col-span-2"
        />
        <SelectField<PaperForm>
          name="difficultyLevel"
          label={t('paper.difficulty')}
          placeholder={t('paper.chooseDifficulty')}
          options={translateChoices(paperDifficulties, t)}
          className="col-span-full"
        />
        <ChoiceGroup<PaperForm>
          type="checkbox"
          name="questionTypes"
          label={t('paper.types')}
          options={translateChoices(questionTypes, t)}
          className="col-span-full"
        />
        <div className="col-span-full">
          <SampleUploadField
            label={t('paper.sample')}
            sample={sample}
            refusal={sampleRefusal}
            estimate={estimate}
          />
        </div>
      </fieldset>
    </MarginSection>
  );
}
