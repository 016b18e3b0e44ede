import { MessageCircle } from 'lucide-react';
import { env } from '@/lib/env';
import { useI18n } from '@/lib/i18n';
import { whatsappLink } from '@/lib/whatsapp';
import { Button } from './ui/button';
import { QrCode } from './ui/qr-code';

/** WhatsApp and Instagram, each if it is configured. */
export function ContactCards() {
  if (!env.whatsappNumber && !env.instagramUrl) return null;
  return (
    <section className="page grid gap-4 py-8 md:grid-cols-2 print:hidden">
      {env.whatsappNumber ? <WhatsappCard /> : null}
      {env.instagramUrl ? <InstagramCard /> : null}
    </section>
  );
}

function WhatsappCard() {
  const { t } = useI18n();
  return (
    <div className="flex flex-col items-start justify-between gap-5 rounded-card border border-border bg-card p-6 shadow-card">
      <div>
        <h2 className="text-2xl font-bold">{t('contact.whatsappTitle')}</h2>
        <p className="mt-1 text-muted-foreground">{t('contact.whatsappDetail')}</p>
      </div>
      <Button asChild variant="outline">
        <a
          href={whatsappLink(env.whatsappNumber, t('contact.greeting', { product: env.productName }))}
          target="_blank"
          rel="noopener"
        >
          <MessageCircle aria-hidden="true" />
          {t('contact.whatsapp')}
        </a>
      </Button>
    </div>
  );
}

function InstagramCard() {
  const { t } = useI18n();
  return (
    <div className="flex items-center justify-between gap-5 rounded-card border border-border bg-card p-6 shadow-card">
      <div className="flex h-full flex-col items-start justify-between gap-5">
        <div>
          <h2 className="text-2xl font-bold">{t('contact.instagramTitle')}</h2>
          <p className="mt-1 text-muted-foreground">{t('contact.instagramDetail')}</p>
        </div>
        <Button asChild variant="outline">
          <a href={env.instagramUrl} target="_blank" rel="noopener">
            {t('contact.instagramFollow')}
          </a>
        </Button>
      </div>
      <QrCode
        value={env.instagramUrl}
        label={t('contact.instagramQr')}
        className="w-[112px] shrink-0 sm:w-[136px]"
      />
    </div>
  );
}
