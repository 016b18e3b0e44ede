export const paymentKeys = {
  allWaiting: ['payments', 'waiting'] as const,
  waiting: (userId: string) => ['payments', 'waiting', userId] as const,
};
