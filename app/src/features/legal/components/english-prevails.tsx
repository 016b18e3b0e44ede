import { useI18n } from '@/lib/i18n';

/** Tells readers of another language, in that language, which text is binding. */
export function EnglishPrevails() {
  const { t, language } = useI18n();
  if (language === 'en') return null;
  return (
    <div className="page pb-6">
      <p lang={language} className="max-w-[66ch] rounded-control bg-accent-soft px-4 py-3 text-balance">
        {t('legal.englishPrevails')}
      </p>
    </div>
  );
}
