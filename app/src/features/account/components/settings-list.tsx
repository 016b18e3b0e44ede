import { ChevronRight } from 'lucide-react';
import { useId, useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import { Card } from '@/components/ui/card';
import { Select } from '@/components/ui/select';
import { Switch } from '@/components/ui/switch';
import { languages, setLanguage, useI18n, type MessageKey } from '@/lib/i18n';
import { notificationsWanted, wantNotifications } from '@/lib/notifications';
import { chooseTheme, isDark, storedTheme, themes, type Theme } from '@/lib/theme';
import { toast } from '@/lib/toast';

/**
 * The settings of this device: notifications, language,
 * appearance (SPECIFICATION.md S-314 to S-317, S-321).
 */
export function Preferences() {
  return (
    <Card className="divide-y divide-border px-5">
      <Notifications />
      <Language />
      <Appearance />
    </Card>
  );
}

function Notifications() {
  const { t } = useI18n();
  const [wanted, setWanted] = useState(notificationsWanted);

  function change(next: boolean) {
    wantNotifications(next);
    setWanted(next);
    toast.success({ title: t(next ? 'settings.notificationsOn' : 'settings.notificationsOff') });
  }

  return (
    <Row label={t('settings.notifications')} detail={t('settings.notificationsDetail')}>
      {(label, detail) => (
        <Switch checked={wanted} onChange={change} aria-labelledby={label} aria-describedby={detail} />
      )}
    </Row>
  );
}

function Language() {
  const { t, language } = useI18n();

  async function change(id: string) {
    const next = languages.find((known) => known.id === id);
    if (!next) return;
    try {
      await setLanguage(next.id);
      toast.success({ title: t('settings.languageChanged') });
    } catch {
      toast.error({ title: t('settings.languageFailed') });
    }
  }

  return (
    <Row label={t('settings.language')}>
      {(label) => (
        <span className="w-40 shrink-0">
          <Select aria-labelledby={label} value={language} onChange={(event) => change(event.target.value)}>
            {languages.map(({ id, name }) => (
              <option key={id} value={id} lang={id}>
                {name}
              </option>
            ))}
          </Select>
        </span>
      )}
    </Row>
  );
}

const themeTexts: Readonly<Record<Theme, MessageKey>> = {
  light: 'settings.light',
  dark: 'settings.dark',
  system: 'settings.system',
};

const themeToasts: Readonly<Record<Theme, MessageKey>> = {
  light: 'settings.darkOff',
  dark: 'settings.darkOn',
  system: 'settings.systemOn',
};

function Appearance() {
  const { t } = useI18n();
  const name = useId();
  const [theme, setTheme] = useState(storedTheme);

  function change(next: Theme) {
    chooseTheme(next);
    setTheme(next);
    toast.success({ title: t(themeToasts[next]) });
  }

  return (
    <div className="py-1.5">
      <Row label={t('settings.darkMode')}>
        {(label) => (
          <Switch
            checked={isDark(theme)}
            onChange={(dark) => {
              change(dark ? 'dark' : 'light');
            }}
            aria-labelledby={label}
          />
        )}
      </Row>
      <fieldset className="pb-3.5">
        <legend className="sr-only">{t('settings.appearance')}</legend>
        <div className="flex flex-wrap gap-2">
          {themes.map((option) => (
            <label
              key={option}
              className="inline-flex min-h-11 flex-1 cursor-pointer items-center justify-center gap-2.5 rounded-control border border-input px-3.5 whitespace-nowrap has-checked:border-primary has-checked:bg-primary-soft"
            >
              <input
                type="radio"
                name={name}
                value={option}
                checked={theme === option}
                onChange={() => {
                  change(option);
                }}
                className="size-[18px] shrink-0 accent-primary"
              />
              {t(themeTexts[option])}
            </label>
          ))}
        </div>
      </fieldset>
    </div>
  );
}

interface RowProps {
  label: string;
  detail?: string;
  children: (labelId: string, detailId: string | undefined) => ReactNode;
}

function Row({ label, detail, children }: RowProps) {
  const id = useId();
  const detailId = detail ? `${id}-detail` : undefined;
  return (
    <div className="flex items-center justify-between gap-4 py-3.5">
      <div className="min-w-0">
        <p id={id} className="font-semibold">
          {label}
        </p>
        {detail ? (
          <p id={detailId} className="text-sm text-muted-foreground">
            {detail}
          </p>
        ) : null}
      </div>
      {children(id, detailId)}
    </div>
  );
}

const links: readonly { to: string; label: MessageKey }[] = [
  { to: '/terms', label: 'settings.terms' },
  { to: '/privacy', label: 'settings.privacy' },
  { to: '/about', label: 'settings.about' },
];

/** The pages about the product (S-318). */
export function SettingsLinks() {
  const { t } = useI18n();
  return (
    <nav aria-label={t('settings.more')}>
      <Card className="divide-y divide-border">
        {links.map(({ to, label }) => (
          <Link
            key={to}
            to={to}
            className="flex min-h-[52px] items-center justify-between gap-3 px-5 font-semibold first:rounded-t-card last:rounded-b-card hover:text-primary"
          >
            {t(label)}
            <ChevronRight aria-hidden="true" className="size-5 text-muted-foreground" />
          </Link>
        ))}
      </Card>
    </nav>
  );
}
