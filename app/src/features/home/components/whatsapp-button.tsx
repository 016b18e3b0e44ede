import { MessageCircle } from 'lucide-react';
import { Button } from '@/components/ui/button';
import { env } from '@/lib/env';
import { useI18n } from '@/lib/i18n';
import { whatsappLink } from '@/lib/whatsapp';

export function WhatsappButton() {
  const { t } = useI18n();
  if (!env.whatsappNumber) return null;
  return (
    <Button asChild variant="outline" className="w-full">
      <a
        href={whatsappLink(env.whatsappNumber, t('contact.greeting', { product: env.productName }))}
        target="_blank"
        rel="noopener"
      >
        <MessageCircle aria-hidden="true" />
        {t('contact.whatsapp')}
      </a>
    </Button>
  );
}
