import { PurchaseDialog } from './purchase-dialog';

/** Reports a payment that was begun before. */
export default function ReportPayment({ userId, onClose }: { userId: string; onClose: () => void }) {
  return <PurchaseDialog userId={userId} paying paid onClose={onClose} />;
}
