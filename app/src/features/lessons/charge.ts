/** What the builder needs of the wallet; the application hands it in, so that neither feature knows the other. */
export interface Wallet {
  /** Opens a deduction of one generation's cost. */
  charge: () => Promise<ChargeOutcome>;
  /** Reads the balance again. */
  refresh: () => Promise<void>;
}

export type ChargeOutcome =
  | { kind: 'charged'; charge: Charge }
  | { kind: 'insufficient'; coins: number }
  | { kind: 'failed'; reason: 'refused' | 'unsettled' };

export interface Charge {
  /** Tries to take the deduction back. True when the credits are back, whoever gave them. */
  takeBack: () => Promise<boolean>;
}
