/** The numbers of periods for a chapter (SPECIFICATION.md S-181). */
export const periodOptions = ['1', '2', '3', '4', '5'] as const;
export const defaultPeriods = '5';
