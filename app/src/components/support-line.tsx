import { env } from '@/lib/env';
import { useI18n } from '@/lib/i18n';

/** The configured contacts for help, or nothing (SPECIFICATION.md S-103). */
export function SupportLine() {
  const { t } = useI18n();
  if (!env.supportEmail && !env.supportPhone) return null;
  return (
    <p className="mt-8 flex flex-wrap gap-x-4 text-sm leading-8 text-muted-foreground">
      <span className="w-full">{t('support.line')}</span>
      {env.supportEmail ? (
        <a
          className="font-medium text-primary underline underline-offset-4"
          href={`mailto:${env.supportEmail}`}
        >
          {env.supportEmail}
        </a>
      ) : null}
      {env.supportPhone ? (
        <a
          className="font-medium whitespace-nowrap text-primary underline underline-offset-4"
          href={`tel:${env.supportPhone.replace(/[^+\d]/g, '')}`}
        >
          {env.supportPhone}
        </a>
      ) : null}
    </p>
  );
}
