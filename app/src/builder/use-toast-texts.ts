import { useI18n } from '@/lib/i18n';
import type { ToastKeys } from './tool';

/** Returns a function that turns the keys of a toast into its texts. */
export function useToastTexts() {
  const { t } = useI18n();
  return ({ title, description }: ToastKeys) => ({
    title: t(title),
    ...(description && { description: t(description) }),
  });
}
