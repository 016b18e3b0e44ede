import { useState } from 'react';
import { ChoiceGroup, NumberField, SelectField, TextAreaField } from '@/builder/components/fields';
import { SampleField } from '@/builder/components/sample-field';
import { ChapterField } from '@/builder/components/chapter-field';
import { BoardSection } from '@/builder/components/board-section';
import type { DocumentLanguage } from '@/builder/document-language';
import { MarginSection } from '@/components/margin-section';
import { useI18n } from '@/lib/i18n';
import { translateChoices } from '@/lib/options/choices';
import { aidSubjects, subjectOptions } from '@/lib/options/subjects';
import {
  aidBoards,
  aidDifficulties,
  aidFormats,
  aidPages,
  aidTypes,
  ordinalClassOptions,
} from '@/lib/options/teaching-aids';
import { objectivesLimit, pagesOf } from '../form';
import type { AidsForm } from '../schema';

interface SectionProps {
  values: AidsForm;
  disabled: boolean;
}

export function ChapterBoard({ values, disabled }: SectionProps) {
  const { t, language } = useI18n();
  return (
    <BoardSection
      values={values}
      disabled={disabled}
      boards={aidBoards}
      classes={ordinalClassOptions(t, language)}
      subjects={subjectOptions(aidSubjects, t)}
    />
  );
}

export function DetailsSection({
  values,
  language,
  disabled,
}: SectionProps & { language: DocumentLanguage }) {
  const { t } = useI18n();
  const [sample, setSample] = useState('');
  const complete =
    values.aidTypes.length > 0 && values.chapterName.trim() !== '' && values.difficultyLevel !== '';
  return (
    <MarginSection number={2} title={t('builder.detailsStep')} complete={complete}>
      <fieldset disabled={disabled} className="grid grid-cols-2 gap-4">
        <ChoiceGroup<AidsForm>
          type="checkbox"
          name="aidTypes"
          label={t('aids.types')}
          options={translateChoices(aidTypes, t)}
          className="col-span-2"
        />
        <ChapterField
          grade={values.grade}
          subject={values.subject}
          language={values.chapterName.trim() ? language : null}
          className="col-span-2"
        />
        <TextAreaField<AidsForm>
          name="learningObjectives"
          label={t('aids.objectives')}
          optional
          rows={3}
          maxLength={objectivesLimit}
          className="col-span-2"
        />
        <SelectField<AidsForm>
          name="difficultyLevel"
          label={t('aids.difficulty')}
          placeholder={t('aids.chooseDifficulty')}
          options={translateChoices(aidDifficulties, t)}
          className="col-span-2 sm:col-span-1"
        />
        <NumberField<AidsForm>
          name="numberOfPages"
          label={t('aids.pages')}
          hint={t('aids.pagesHint')}
          min={aidPages.min}
          max={aidPages.max}
          settle={(text) => String(pagesOf(text))}
          className="col-span-2 sm:col-span-1"
        />
        <SelectField<AidsForm>
          name="preferredFormat"
          label={t('aids.format')}
          options={translateChoices(aidFormats, t)}
          className="col-span-2 sm:col-span-1"
        />
        <div className="col-span-2 sm:col-span-1">
          <SampleField
            label={t('aids.sample')}
            name={sample}
            onPick={setSample}
            refusal={t('aids.invalidTypeDetail')}
            note={t('aids.sampleHint')}
          />
        </div>
      </fieldset>
    </MarginSection>
  );
}
