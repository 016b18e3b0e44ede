export const walletKeys = {
  balance: (userId: string) => ['wallet', userId, 'balance'] as const,
};
