import { languages, setLanguage, useI18n } from '@/lib/i18n';
import { Select } from './ui/select';

/**
 * The language of the whole interface, for users without a
 * settings screen. The device stores the choice.
 */
export function LanguageChoice() {
  const { t, language } = useI18n();
  return (
    <label className="flex items-center gap-2">
      {t('footer.language')}
      <Select
        value={language}
        onChange={(event) => {
          const next = languages.find(({ id }) => id === event.target.value);
          if (next) void setLanguage(next.id).catch(() => undefined);
        }}
        className="min-h-11 text-sm"
      >
        {languages.map(({ id, name }) => (
          <option key={id} value={id} lang={id}>
            {name}
          </option>
        ))}
      </Select>
    </label>
  );
}
