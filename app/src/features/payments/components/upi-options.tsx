import { Copy } from 'lucide-react';
import { BreakableAddress } from '@/components/breakable-address';
import { Button } from '@/components/ui/button';
import { QrCode } from '@/components/ui/qr-code';
import { copyText } from '@/lib/copy-text';
import { env } from '@/lib/env';
import { useI18n } from '@/lib/i18n';
import { formatRupees } from '@/lib/money';
import type { UnreportedPayment } from '../unreported-payment';
import { upiLink } from '../upi-link';
import { useSaveUnreported } from '../use-save-unreported';

interface UpiOptionsProps {
  userId: string;
  payment: UnreportedPayment;
  /** It was shown for long enough to have been paid. */
  longEnough: boolean;
  /**
   * The label of the button that copies the number. The
   * dialogs differ (SPECIFICATION.md S-166, S-295).
   */
  copy: string;
  onCopied: () => void;
}

/**
 * The ways to pay exactly this amount: the app on the same phone, a QR code for another one, and
 * the payee's number.
 */
export function UpiOptions({ userId, payment, longEnough, copy, onCopied }: UpiOptionsProps) {
  const { t } = useI18n();
  const { amount, credits, transactionId } = payment;
  const keep = useSaveUnreported(userId, payment, longEnough);
  const link = upiLink({
    payeeAddress: env.upiPayeeAddress,
    payeeName: env.upiPayeeName,
    amount,
    credits,
    reference: transactionId,
  });

  async function copyNumber() {
    if (await copyText(env.upiPayeeAddress)) onCopied();
  }

  return (
    <>
      <div className="mt-3 flex flex-col gap-3 sm:mt-4 sm:gap-4">
        <Button asChild variant="accent" size="lg" className="sm:order-last">
          <a href={link} onClick={keep}>
            {t('payment.openApp')}
          </a>
        </Button>
        <QrCode
          value={link}
          label={t('payment.qrLabel', { payee: env.upiPayeeName, amount: formatRupees(amount) })}
          fallback={t('payment.qrFallback')}
          className="mx-auto w-[190px] sm:w-[228px]"
        />
      </div>
      <div className="mt-3 flex items-center justify-between gap-3 rounded-control border border-border py-1 pr-1 pl-3.5">
        <span className="min-w-0">
          <span className="block text-sm text-muted-foreground">{t('payment.upiNumber')}</span>
          <span className="block font-semibold">
            <BreakableAddress>{env.upiPayeeAddress}</BreakableAddress>
          </span>
        </span>
        <Button variant="ghost" onClick={copyNumber} className="px-3">
          <Copy aria-hidden="true" />
          {copy}
        </Button>
      </div>
    </>
  );
}
