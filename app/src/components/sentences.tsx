import { useI18n } from '@/lib/i18n';
import { isEnglish } from '@/lib/sentence-language';

/**
 * Sentences of the interface. Those of the server are English in every language, and are marked as
 * such for screen readers.
 */
export function Sentences({ text }: { text: string }) {
  const { language } = useI18n();
  if (language === 'en') return text;
  return (text.match(/[^.!?।]+[.!?।]*|[.!?।]+/g) ?? []).map((sentence, index) => (
    <span key={index} lang={isEnglish(sentence) ? 'en' : undefined}>
      {sentence}
    </span>
  ));
}
