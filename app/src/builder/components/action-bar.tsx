import type { ReactNode } from 'react';
import { useI18n, type MessageKey } from '@/lib/i18n';

interface ActionBarProps {
  /** The labels of the fields that are still empty. */
  missing?: readonly MessageKey[];
  children: ReactNode;
}

/**
 * The actions of a builder. They are fixed at the bottom of phones and in the page on wider
 * screens. On phones the form may be screens away, so the bar itself names the missing fields. In a
 * low window the bar would cover the form, so it is in the page as well.
 */
export function ActionBar({ missing = [], children }: ActionBarProps) {
  const { t } = useI18n();
  return (
    <div className="fixed inset-x-0 bottom-0 z-20 border-t border-border bg-background md:static md:border-0 md:bg-transparent [@media(max-height:24rem)]:static">
      <div className="safe-bottom">
        <div className="px-4 py-2.5 md:p-0">
          {missing.length > 0 ? (
            <p className="mb-2 line-clamp-3 text-sm md:hidden">
              {t('builder.missing', { fields: missing.map((field) => t(field)).join(', ') })}
            </p>
          ) : null}
          {children}
        </div>
      </div>
    </div>
  );
}
