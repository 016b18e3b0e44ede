import { useI18n, type MessageKey } from '@/lib/i18n';
import { toast } from '@/lib/toast';
import { createPayment, type PaymentOutcome } from './api/create-payment';
import { reportPlanPayment } from './api/report-plan-payment';
import { useRefreshWaitingPayments } from './api/waiting-payments';
import { clearUnreported, type UnreportedPayment } from './unreported-payment';

interface SignedOutTexts {
  title: MessageKey;
  detail: MessageKey;
}

const defaultTexts: SignedOutTexts = { title: 'payment.signedOut', detail: 'payment.signedOutDetail' };

/**
 * Reports a payment and shows the result. Resolves to true if there is nothing more to do. A
 * payment stays on the device until it is known to be recorded.
 */
export function useReportPayment(userId: string, signedOut = defaultTexts) {
  const { t } = useI18n();
  const refreshWaiting = useRefreshWaitingPayments();

  return async (payment: UnreportedPayment, phone: string): Promise<boolean> => {
    try {
      const outcome = await write(userId, payment, phone);
      if (outcome === 'failed') {
        toast.error({ title: t('common.error'), description: t('payment.failed') });
        return false;
      }
      if (outcome === 'signed-out') {
        toast.error({ title: t(signedOut.title), description: t(signedOut.detail) });
        return false;
      }
      clearUnreported(userId);
    } catch {
      // The money may have been paid, so the user is thanked and the team checks by hand
      // (SPECIFICATION.md S-174, S-283).
    }
    refreshWaiting();
    toast.success(
      payment.plan === ''
        ? { title: t('payment.thanks') }
        : { title: t('plans.thanks'), description: t('plans.thanksDetail') },
    );
    return true;
  };
}

async function write(userId: string, payment: UnreportedPayment, phone: string): Promise<PaymentOutcome> {
  if (payment.plan === '') return createPayment({ ...payment, phone });
  const written = await reportPlanPayment({
    ...payment,
    userId,
    phone,
    paidAt: new Date(payment.startedAt),
  });
  return written ? 'created' : 'failed';
}
