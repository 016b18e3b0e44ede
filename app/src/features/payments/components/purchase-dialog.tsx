import { useState, type ComponentProps, type ReactNode } from 'react';
import { Dialog, DialogContent, DialogDescription, DialogTitle } from '@/components/ui/dialog';
import { useI18n } from '@/lib/i18n';
import { clearToast } from '@/lib/toast';
import { clearUnreported, unreportedPayment, type UnreportedPayment } from '../unreported-payment';
import { useReportPayment } from '../use-report-payment';
import { UnreportedAnswers, useUnreportedText } from './unreported-question';
import { PhoneStep } from './phone-step';

interface PurchaseDialogProps extends Pick<ComponentProps<typeof DialogContent>, 'onOpenAutoFocus'> {
  userId: string;
  /** A payment may be under way, so a press beside the dialog does not close it. */
  paying: boolean;
  /** The user has already answered that it was paid. */
  paid?: boolean;
  onClose: () => void;
  children?: ReactNode;
}

/** The dialog of a purchase. It first asks for an earlier payment that was not reported. */
export function PurchaseDialog(props: PurchaseDialogProps) {
  const { userId, paying, paid = false, onClose, children, ...content } = props;
  const [unreported, setUnreported] = useState(() => unreportedPayment(userId));
  return (
    <Dialog onClose={onClose}>
      <DialogContent
        {...content}
        onInteractOutside={(event) => {
          if (unreported || paying) event.preventDefault();
        }}
      >
        {unreported ? (
          <UnreportedSteps
            userId={userId}
            payment={unreported}
            paid={paid}
            onNotPaid={() => {
              clearUnreported(userId);
              setUnreported(null);
            }}
            onClose={onClose}
          />
        ) : (
          children
        )}
      </DialogContent>
    </Dialog>
  );
}

interface UnreportedStepsProps {
  userId: string;
  payment: UnreportedPayment;
  paid: boolean;
  onNotPaid: () => void;
  onClose: () => void;
}

function UnreportedSteps({ userId, payment, paid, onNotPaid, onClose }: UnreportedStepsProps) {
  const { t } = useI18n();
  const text = useUnreportedText(payment);
  const report = useReportPayment(userId);
  const [asksPhone, setAsksPhone] = useState(paid);

  if (asksPhone) {
    return (
      <PhoneStep
        amount={payment.amount}
        optional={payment.phoneOptional}
        onComplete={async (phone) => {
          if (await report(payment, phone)) onClose();
        }}
      />
    );
  }
  return (
    <>
      <DialogTitle>{t('payment.unreportedTitle')}</DialogTitle>
      <DialogDescription>{text}</DialogDescription>
      <UnreportedAnswers
        onPaid={() => {
          clearToast();
          setAsksPhone(true);
        }}
        onNotPaid={onNotPaid}
      />
    </>
  );
}
