import { useState } from 'react';
import { Link } from 'react-router';
import { Button } from '@/components/ui/button';
import { useGoBack } from '@/hooks/use-go-back';
import { useI18n } from '@/lib/i18n';

/** The checkbox enables the link. Nothing is stored (SPECIFICATION.md S-091 to S-093). */
export function AcceptTerms() {
  const [agreed, setAgreed] = useState(false);
  const goBack = useGoBack('/');
  const { t, language } = useI18n();
  return (
    <div lang={language} className="page mt-8 print:hidden">
      <div className="rounded-card border border-border bg-card p-5 shadow-card sm:p-6">
        <label className="flex min-h-11 cursor-pointer items-center gap-3 text-lg font-semibold">
          <input
            type="checkbox"
            checked={agreed}
            onChange={(event) => {
              setAgreed(event.target.checked);
            }}
            className="size-6 shrink-0 accent-primary"
          />
          {t('legal.agree')}
        </label>
        <div className="mt-4 flex flex-wrap gap-3">
          <Button asChild variant="outline">
            <Link to="/" onClick={goBack}>
              {t('legal.goBack')}
            </Link>
          </Button>
          {agreed ? (
            <Button asChild>
              <Link to="/">{t('legal.accept')}</Link>
            </Button>
          ) : (
            <Button asChild>
              {/* A link without an address. It can be read, but neither Tab nor Enter reaches it. */}
              <span role="link" aria-disabled="true" className="cursor-not-allowed">
                {t('legal.accept')}
              </span>
            </Button>
          )}
        </div>
      </div>
    </div>
  );
}
