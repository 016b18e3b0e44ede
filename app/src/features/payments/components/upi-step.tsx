import { Copy } from 'lucide-react';
import { Button } from '@/components/ui/button';
import { DialogDescription, DialogTitle } from '@/components/ui/dialog';
import { QrCode } from '@/components/ui/qr-code';
import { useCountdown } from '@/hooks/use-countdown';
import { copyText } from '@/lib/copy-text';
import { env } from '@/lib/env';
import { useI18n } from '@/lib/i18n';
import { formatRupees } from '@/lib/money';
import { toast } from '@/lib/toast';
import type { OpenedPayment } from '../opened-payment';
import { upiLink } from '../upi-link';
import { useKeepOpened } from '../use-keep-opened';
import { CountdownRing } from './countdown-ring';

const usualSeconds = 20;

/** `name@bank`: where it is too long for one line it breaks before the bank. */
const [upiAccount, upiBank] = env.upiPayeeAddress.split(/(?=@)/);

interface UpiStepProps {
  userId: string;
  payment: OpenedPayment;
  /** Before the payment can be confirmed; the dialogs differ (screens.md S-019). */
  confirmAfterSeconds?: number;
  /** What the button says. */
  confirm?: string;
  onPaid: () => void;
}

export function UpiStep({
  userId,
  payment,
  confirmAfterSeconds = usualSeconds,
  confirm,
  onPaid,
}: UpiStepProps) {
  const { amount, credits, transactionId } = payment;
  const { t, tn } = useI18n();
  const left = useCountdown(confirmAfterSeconds);
  const keep = useKeepOpened(userId, payment, left === 0);
  const link = upiLink({
    payeeAddress: env.upiPayeeAddress,
    payeeName: env.upiPayeeName,
    amount,
    credits,
    reference: transactionId,
  });

  async function copy() {
    if (await copyText(env.upiPayeeAddress)) {
      toast.success({ title: t('payment.copied'), description: t('payment.copiedDetail') });
    }
  }

  return (
    <>
      <DialogTitle>{t('payment.upiTitle')}</DialogTitle>
      <DialogDescription>{t('payment.upiDetail', { payee: env.upiPayeeName })}</DialogDescription>
      <p className="mt-3 flex flex-wrap items-baseline gap-x-3 sm:mt-4">
        <span className="text-[2.5rem] leading-none font-heavy tabular-nums">{formatRupees(amount)}</span>
        <span className="text-sm text-muted-foreground">{tn('common.credits', amount)}</span>
      </p>
      <div className="mt-3 flex flex-col gap-3 sm:mt-4 sm:gap-4">
        <Button asChild variant="accent" size="lg" className="sm:order-last">
          <a href={link} onClick={keep}>
            {t('payment.openApp')}
          </a>
        </Button>
        <QrCode
          value={link}
          label={t('payment.qrLabel', { payee: env.upiPayeeName, amount: formatRupees(amount) })}
          instead={t('payment.qrInstead')}
          className="mx-auto w-[176px] sm:w-[228px]"
        />
      </div>
      <div className="mt-3 flex items-center justify-between gap-3 rounded-control border border-border py-1 pr-1 pl-3.5">
        <span className="min-w-0">
          <span className="block text-sm text-muted-foreground">{t('payment.upiNumber')}</span>
          <span className="block font-semibold [overflow-wrap:anywhere]">
            {upiAccount}
            <wbr />
            {upiBank}
          </span>
        </span>
        <Button variant="ghost" onClick={copy}>
          <Copy aria-hidden="true" />
          {t('payment.copy')}
        </Button>
      </div>
      <p role="status" className="sr-only">
        {left === 0 ? t('payment.canConfirm') : null}
      </p>
      <div className="sticky bottom-0 -mx-5 -mb-5 flex min-h-[52px] items-center justify-center bg-popover px-5 py-3 sm:static sm:m-0 sm:mt-5 sm:p-0">
        {left > 0 ? (
          <p className="flex items-center gap-3 text-muted-foreground">
            <CountdownRing left={left} total={confirmAfterSeconds} />
            {tn('payment.wait', left)}
          </p>
        ) : (
          <Button size="lg" className="w-full animate-rise" onClick={onPaid}>
            {confirm ?? t('payment.proceed')}
          </Button>
        )}
      </div>
    </>
  );
}
