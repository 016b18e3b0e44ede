export const accountKeys = {
  account: (userId: string) => ['account', userId] as const,
};
