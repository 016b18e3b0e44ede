import { useFormContext, type FieldPath } from 'react-hook-form';
import { Field } from '@/components/ui/field';
import { Input } from '@/components/ui/input';
import { Select, SelectOptions } from '@/components/ui/select';
import { boards, classes, subjects, type Option } from '@/lib/curriculum';
import { useI18n } from '@/lib/i18n';
import { named, periodOptions } from '@/lib/tool-options';
import type { LessonPlanForm } from '../schema';
import { MarginSection } from '@/components/margin-section';
import { SampleField } from './sample-field';

interface SectionProps {
  values: LessonPlanForm;
  disabled: boolean;
}

export function BoardSection({ values, disabled }: SectionProps) {
  const { t } = useI18n();
  const complete = [values.board, values.grade, values.subject].every(Boolean);
  return (
    <MarginSection number={1} title={t('lesson.boardStep')} complete={complete}>
      <fieldset disabled={disabled} className="grid gap-4 sm:grid-cols-2">
        <SelectField
          name="board"
          label={t('lesson.board')}
          placeholder={t('lesson.chooseBoard')}
          options={boards}
          className="sm:col-span-2"
        />
        <SelectField
          name="grade"
          label={t('lesson.class')}
          placeholder={t('lesson.chooseClass')}
          options={classes}
        />
        <SelectField
          name="subject"
          label={t('lesson.subject')}
          placeholder={t('lesson.chooseSubject')}
          options={subjects}
        />
      </fieldset>
    </MarginSection>
  );
}

interface DetailsSectionProps extends SectionProps {
  sample: string;
  onSample: (marker: string) => void;
}

export function DetailsSection({ values, disabled, sample, onSample }: DetailsSectionProps) {
  const { t } = useI18n();
  const texts = [values.chapterName, values.book, values.publisher];
  const complete = values.periods !== '' && texts.every((text) => text.trim() !== '');
  return (
    <MarginSection number={2} title={t('lesson.detailsStep')} complete={complete}>
      <fieldset disabled={disabled} className="grid gap-4 sm:grid-cols-2">
        <TextField
          name="chapterName"
          label={t('lesson.chapter')}
          hint={t('lesson.chapterHint')}
          className="sm:col-span-2"
        />
        <TextField name="book" label={t('lesson.book')} />
        <TextField name="publisher" label={t('lesson.publisher')} />
        <SelectField
          name="periods"
          label={t('lesson.periods')}
          options={named(periodOptions)}
          className="max-w-[50%] sm:max-w-none"
        />
        <SampleField marker={sample} onPick={onSample} />
      </fieldset>
    </MarginSection>
  );
}

interface BoundFieldProps {
  name: FieldPath<LessonPlanForm>;
  label: string;
  hint?: string;
  className?: string;
}

function TextField({ name, label, hint, className }: BoundFieldProps) {
  const { register, formState } = useFormContext<LessonPlanForm>();
  return (
    <Field label={label} hint={hint} error={formState.errors[name]?.message} className={className}>
      {(control) => <Input {...control} required autoComplete="off" maxLength={200} {...register(name)} />}
    </Field>
  );
}

interface SelectFieldProps extends BoundFieldProps {
  placeholder?: string;
  options: readonly Option[];
}

function SelectField({ name, label, placeholder, options, className }: SelectFieldProps) {
  const { register, formState } = useFormContext<LessonPlanForm>();
  return (
    <Field label={label} error={formState.errors[name]?.message} className={className}>
      {(control) => (
        <Select {...control} required {...register(name)}>
          <SelectOptions options={options} placeholder={placeholder} />
        </Select>
      )}
    </Field>
  );
}
