export const adminKeys = {
  all: ['admin'] as const,
  users: ['admin', 'users'] as const,
  payments: ['admin', 'payments'] as const,
  generations: ['admin', 'generations'] as const,
};
