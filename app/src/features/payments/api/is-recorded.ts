/** What the database says of an id that is there already. */
const takenId = '23505';

/** Whether a payment is written: an id is one of its payer, so one that is taken is the own row, whose answer was lost. */
export function isRecorded(error: { code: string } | null): boolean {
  return error === null || error.code === takenId;
}
