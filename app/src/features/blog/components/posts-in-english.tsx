import { useI18n } from '@/lib/i18n';

/** Tells readers of another language that the posts are in English. */
export function PostsInEnglish() {
  const { t, language } = useI18n();
  if (language === 'en') return null;
  return (
    <div className="page pb-6">
      <p className="max-w-[66ch] rounded-control bg-accent-soft px-4 py-3">{t('blog.inEnglish')}</p>
    </div>
  );
}
