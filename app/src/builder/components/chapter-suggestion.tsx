import { useFormContext, useWatch } from 'react-hook-form';
import { Button } from '@/components/ui/button';
import { useI18n } from '@/lib/i18n';
import { uniqueCompletion } from '@/lib/suggestions';
import { useChapters } from '../chapters';

interface ChapterFields {
  grade: string;
  subject: string;
  chapterName: string;
}

/** Offers the one chapter of the list that begins with the typed text. */
export default function ChapterSuggestion() {
  const { t } = useI18n();
  const { control, setValue, setFocus } = useFormContext<ChapterFields>();
  const [grade, subject, typed] = useWatch({ control, name: ['grade', 'subject', 'chapterName'] });
  const chapter = uniqueCompletion(useChapters(grade, subject), typed)?.value;
  if (chapter === undefined) return null;
  return (
    <Button
      variant="outline"
      className="mt-2.5 h-auto min-h-11 py-1.5 text-left whitespace-normal"
      onClick={() => {
        setValue('chapterName', chapter, { shouldDirty: true, shouldTouch: true, shouldValidate: true });
        // The button disappears with the warning that contains it.
        setFocus('chapterName');
      }}
    >
      {t('builder.useChapter', { chapter })}
    </Button>
  );
}
