import { useState, type ComponentProps, type ReactNode } from 'react';
import { Dialog, DialogContent, DialogDescription, DialogTitle } from '@/components/ui/dialog';
import { useI18n } from '@/lib/i18n';
import { clearToast } from '@/lib/toast';
import { forgetOpened, openedPayment, type OpenedPayment } from '../opened-payment';
import { useReport } from '../use-report';
import { OpenedAnswers, useOpenedText } from './opened-question';
import { PhoneStep } from './phone-step';

interface PurchaseDialogProps extends Pick<ComponentProps<typeof DialogContent>, 'onOpenAutoFocus'> {
  userId: string;
  /** Money may be on its way: a press beside the dialog does not close it. */
  paying: boolean;
  /** The answer that it was paid is given already. */
  paid?: boolean;
  onClose: () => void;
  children?: ReactNode;
}

/** The dialog of a purchase. A payment that was begun before and not reported is asked for first. */
export function PurchaseDialog(props: PurchaseDialogProps) {
  const { userId, paying, paid = false, onClose, children, ...content } = props;
  const [opened, setOpened] = useState(() => openedPayment(userId));
  return (
    <Dialog onClose={onClose}>
      <DialogContent
        {...content}
        onInteractOutside={(event) => {
          if (opened || paying) event.preventDefault();
        }}
      >
        {opened ? (
          <OpenedSteps
            userId={userId}
            payment={opened}
            paid={paid}
            onNotPaid={() => {
              forgetOpened(userId);
              setOpened(null);
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

interface OpenedStepsProps {
  userId: string;
  payment: OpenedPayment;
  paid: boolean;
  onNotPaid: () => void;
  onClose: () => void;
}

function OpenedSteps({ userId, payment, paid, onNotPaid, onClose }: OpenedStepsProps) {
  const { t } = useI18n();
  const text = useOpenedText(payment);
  const report = useReport(userId);
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
      <DialogTitle>{t('payment.openedTitle')}</DialogTitle>
      <DialogDescription>{text}</DialogDescription>
      <OpenedAnswers
        onPaid={() => {
          clearToast();
          setAsksPhone(true);
        }}
        onNotPaid={onNotPaid}
      />
    </>
  );
}
