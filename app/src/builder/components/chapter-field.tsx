import { useI18n } from '@/lib/i18n';
import { useChapters } from '../chapters';
import { ComboboxField } from './fields';

interface ChapterFieldProps {
  grade: string;
  subject: string;
  className?: string;
}

/** The chapter, with those of the class and the subject to choose from. */
export function ChapterField({ grade, subject, className }: ChapterFieldProps) {
  const { t } = useI18n();
  return (
    <ComboboxField<{ chapterName: string }>
      name="chapterName"
      label={t('builder.chapter')}
      hint={t('builder.chapterHint')}
      options={useChapters(grade, subject)}
      className={className}
    />
  );
}
