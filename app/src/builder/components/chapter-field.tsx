import { useI18n, type MessageKey } from '@/lib/i18n';
import { useChapters } from '../chapters';
import { languageName, type DocumentLanguage } from '../document-language';
import { ComboboxField } from './fields';

interface ChapterFieldProps {
  grade: string;
  subject: string;
  /** The language of the document, or null while no chapter is typed. */
  language: DocumentLanguage | null;
  className?: string;
}

const reasons: Readonly<Record<DocumentLanguage['by'], MessageKey>> = {
  subject: 'builder.languageBySubject',
  chapter: 'builder.languageByChapter',
  bank: 'builder.languageByBank',
  script: 'builder.languageByScript',
};

/**
 * The chapter, with a list for the class and the subject, and the language that follows from it.
 */
export function ChapterField({ grade, subject, language, className }: ChapterFieldProps) {
  const { t, language: shown } = useI18n();
  return (
    <ComboboxField<{ chapterName: string }>
      name="chapterName"
      label={t('builder.chapter')}
      hint={
        language
          ? `${t('builder.language', { language: languageName(language.code, shown) })} ${t(reasons[language.by])}`
          : t('builder.chapterHint')
      }
      options={useChapters(grade, subject)}
      className={className}
    />
  );
}
