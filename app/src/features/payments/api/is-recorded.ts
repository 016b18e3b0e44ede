/** The error code of the database for a duplicate id. */
const uniqueViolation = '23505';

/**
 * Whether a payment is recorded. An id belongs to its payer,
 * so a duplicate is the own row, whose answer was lost.
 */
export function isRecorded(error: { code: string } | null): boolean {
  return error === null || error.code === uniqueViolation;
}
