import { MarginSection } from '@/components/margin-section';
import type { Option } from '@/lib/curriculum';
import { useI18n } from '@/lib/i18n';
import { ComboboxField, SelectField } from './fields';

interface BoardFields {
  board: string;
  grade: string;
  subject: string;
}

interface BoardSectionProps {
  values: BoardFields;
  disabled: boolean;
  boards: readonly Option[];
  classes: readonly Option[];
  subjects: readonly Option[];
}

/** The first step of a builder about a chapter: board, class and subject. */
export function BoardSection({ values, disabled, boards, classes, subjects }: BoardSectionProps) {
  const { t } = useI18n();
  const complete = [values.board, values.grade, values.subject].every(Boolean);
  return (
    <MarginSection number={1} title={t('builder.boardStep')} complete={complete}>
      <fieldset disabled={disabled} className="grid gap-4 sm:grid-cols-2">
        <ComboboxField<BoardFields>
          name="board"
          label={t('builder.board')}
          hint={t('builder.boardHint')}
          placeholder={t('builder.chooseBoard')}
          options={boards}
          className="sm:col-span-2"
        />
        <SelectField<BoardFields>
          name="grade"
          label={t('builder.class')}
          placeholder={t('builder.chooseClass')}
          options={classes}
        />
        <SelectField<BoardFields>
          name="subject"
          label={t('builder.subject')}
          placeholder={t('builder.chooseSubject')}
          options={subjects}
        />
      </fieldset>
    </MarginSection>
  );
}
