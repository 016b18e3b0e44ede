/**
 * What a builder needs of the wallet. The application
 * passes it in, so that neither feature knows the other.
 */
export interface Wallet {
  /** Opens a deduction of one generation's cost, or checks that the function can take it. */
  charge: () => Promise<ChargeOutcome>;
  /** Reads the balance again. */
  refresh: () => Promise<void>;
}

export type ChargeOutcome =
  | { kind: 'charged'; charge: Charge }
  | { kind: 'insufficient'; coins: number }
  | { kind: 'failed'; reason: 'refused' | 'unsettled' };

/**
 * `returned`: the credits are back. `reserved`: they are kept for this request, which can be sent
 * again. `none`: nothing had been charged.
 */
export type Refund = 'returned' | 'reserved' | 'none';

export interface Charge {
  /**
   * Settles the credits after a failure. `answered` is false if the function never got the call.
   */
  settleFailure: (answered: boolean) => Promise<Refund>;
}
