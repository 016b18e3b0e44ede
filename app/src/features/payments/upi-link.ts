export interface UpiPayment {
  payeeAddress: string;
  payeeName: string;
  /** Whole rupees. */
  amount: number;
  note: string;
  reference: string;
}

/**
 * The `upi://pay` link of a payment (domain.md 12). Pairs are percent-encoded one by one, because banking apps read
 * `+` literally; the `@` of the payee's address stays as it is.
 */
export function upiLink(payment: UpiPayment): string {
  const pairs = [
    ['pa', payment.payeeAddress],
    ['pn', payment.payeeName],
    ['am', String(payment.amount)],
    ['cu', 'INR'],
    ['tn', payment.note.replace(/[^A-Za-z0-9 ]/g, '').slice(0, 50)],
    ['tr', payment.reference],
  ];
  const query = pairs.map(
    ([name = '', value = '']) => `${name}=${encodeURIComponent(value).replace('%40', '@')}`,
  );
  return `upi://pay?${query.join('&')}`;
}
