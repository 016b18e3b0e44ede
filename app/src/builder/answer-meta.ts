import * as z from 'zod/mini';

/** What the functions say about a finished document. */
export const metaSchema = z.object({
  warnings: z._default(z.array(z.string()), []),
  language: z.optional(z.string()),
});
