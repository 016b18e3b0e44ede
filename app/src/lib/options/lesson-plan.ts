/** How many periods a chapter is spread over (SPECIFICATION.md S-181). */
export const periodOptions = ['1', '2', '3', '4', '5'] as const;
export const defaultPeriods = '5';
