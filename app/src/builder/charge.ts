/** What a builder needs of the wallet; the application hands it in, so that neither knows the other. */
export interface Wallet {
  /** Opens a deduction of one generation's cost, or makes sure that the function can take it. */
  charge: () => Promise<ChargeOutcome>;
  /** Reads the balance again. */
  refresh: () => Promise<void>;
}

export type ChargeOutcome =
  | { kind: 'charged'; charge: Charge }
  | { kind: 'insufficient'; coins: number }
  | { kind: 'failed'; reason: 'refused' | 'unsettled' };

/** `none`: nothing had been charged; `kept`: what is not back yet still stands behind this request, which can be asked again. */
export type Refund = 'returned' | 'reserved' | 'none';

export interface Charge {
  /** What became of the credits after a failure. `answered` is false when the function never got the call. */
  settleFailure: (answered: boolean) => Promise<Refund>;
}
