export interface UpiPayment {
  payeeAddress: string;
  payeeName: string;
  /** Whole rupees. */
  amount: number;
  credits: number;
  reference: string;
}

/**
 * Builds the `upi://pay` link of a payment (functions/SPECIFICATION.md DOM-12). Its note is English
 * in every language, because banking apps accept only Latin letters and digits. Pairs are
 * percent-encoded one by one, because banking apps read `+` literally. The `@` of the payee's
 * address stays as it is.
 */
export function upiLink(payment: UpiPayment): string {
  const pairs = [
    ['pa', payment.payeeAddress],
    ['pn', payment.payeeName],
    ['am', String(payment.amount)],
    ['cu', 'INR'],
    ['tn', `${payment.credits} credits`],
    ['tr', payment.reference],
  ];
  const query = pairs.map(
    ([name = '', value = '']) => `${name}=${encodeURIComponent(value).replace('%40', '@')}`,
  );
  return `upi://pay?${query.join('&')}`;
}
