import { Button } from '@/components/ui/button';
import { DialogDescription, DialogTitle } from '@/components/ui/dialog';
import { useCountdown } from '@/hooks/use-countdown';
import { env } from '@/lib/env';
import { useI18n } from '@/lib/i18n';
import { formatRupees } from '@/lib/money';
import { toast } from '@/lib/toast';
import type { UnreportedPayment } from '../unreported-payment';
import { CountdownRing } from './countdown-ring';
import { UpiOptions } from './upi-options';

const defaultSeconds = 20;

interface UpiStepProps {
  userId: string;
  payment: UnreportedPayment;
  /**
   * The seconds before the payment can be confirmed. The dialogs differ (SPECIFICATION.md S-019).
   */
  confirmAfterSeconds?: number;
  /** The label of the button. */
  confirm?: string;
  onPaid: () => void;
}

export function UpiStep({
  userId,
  payment,
  confirmAfterSeconds = defaultSeconds,
  confirm,
  onPaid,
}: UpiStepProps) {
  const { amount, credits } = payment;
  const { t, tn } = useI18n();
  const left = useCountdown(confirmAfterSeconds);
  return (
    <>
      <DialogTitle>{t('payment.upiTitle')}</DialogTitle>
      <DialogDescription>{t('payment.upiDetail', { payee: env.upiPayeeName })}</DialogDescription>
      <p className="mt-3 flex flex-wrap items-baseline gap-x-3 sm:mt-4">
        <span className="text-[2.5rem] leading-none font-heavy tabular-nums">{formatRupees(amount)}</span>
        <span className="text-sm text-muted-foreground">{tn('common.credits', credits)}</span>
      </p>
      <UpiOptions
        userId={userId}
        payment={payment}
        longEnough={left === 0}
        copy={t('payment.copy')}
        onCopied={() => {
          toast.success({ title: t('payment.copied'), description: t('payment.copiedDetail') });
        }}
      />
      <p role="status" className="sr-only">
        {left === 0 ? t('payment.canConfirm') : null}
      </p>
      <div className="sticky bottom-0 -mx-5 -mb-5 flex min-h-[76px] items-center justify-center border-t border-border bg-popover px-5 py-3 sm:static sm:m-0 sm:mt-5 sm:min-h-[52px] sm:border-0 sm:p-0">
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
