import { SampleUploadField } from '@/builder/components/sample-upload-field';
import { SelectField, TextField } from '@/builder/components/fields';
import { ChapterField } from '@/builder/components/chapter-field';
import { BoardSection } from '@/builder/components/board-section';
import type { DocumentLanguage } from '@/builder/document-language';
import type { Estimate } from '@/builder/api/estimate';
import type { BuilderSample } from '@/builder/use-sample';
import { MarginSection } from '@/components/margin-section';
import { boards } from '@/lib/curriculum';
import { useI18n } from '@/lib/i18n';
import { classOptions, namedOptions } from '@/lib/options/choices';
import { periodOptions } from '@/lib/options/lesson-plan';
import { subjectOptions, subjects } from '@/lib/options/subjects';
import type { LessonPlanForm } from '../schema';

interface SectionProps {
  values: LessonPlanForm;
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
      subjects={subjectOptions(subjects, t)}
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
  const { t } = useI18n();
  const texts = [values.chapterName, values.book, values.publisher];
  const complete = values.periods !== '' && texts.every((text) => text.trim() !== '');
  return (
    <MarginSection number={2} title={t('builder.detailsStep')} complete={complete}>
      <fieldset disabled={disabled} className="grid gap-4 sm:grid-cols-2">
        <ChapterField
          grade={values.grade}
          subject={values.subject}
          language={values.chapterName.trim() ? language : null}
          className="sm:col-span-2"
        />
        <TextField<LessonPlanForm> name="book" label={t('builder.book')} />
        <TextField<LessonPlanForm> name="publisher" label={t('builder.publisher')} />
        <SelectField<LessonPlanForm>
          name="periods"
          label={t('lesson.periods')}
          options={namedOptions(periodOptions)}
          className="max-w-[50%] sm:max-w-none"
        />
        <SampleUploadField
          label={t('lesson.sample')}
          sample={sample}
          refusal={sampleRefusal}
          estimate={estimate}
        />
      </fieldset>
    </MarginSection>
  );
}
