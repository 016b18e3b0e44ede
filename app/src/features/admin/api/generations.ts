import { useQuery } from '@tanstack/react-query';
import * as z from 'zod/mini';
import { supabase } from '@/lib/supabase';
import { adminKeys } from './keys';

/** The generated types of a function's columns do not say which may be null. */
const generationSchema = z.object({
  id: z.string(),
  email: z.nullable(z.string()),
  tool: z.string(),
  status: z.string(),
  model_backed: z.boolean(),
  started_at: z.string(),
  finished_at: z.nullable(z.string()),
});

export type RecentGeneration = z.infer<typeof generationSchema>;

/**
 * Reads the generations of the last 24 hours, without their content. Throws the message of the API.
 */
async function fetchGenerations(): Promise<RecentGeneration[]> {
  const { data, error } = await supabase.rpc('admin_recent_generations');
  if (error) throw new Error(error.message);
  return z.parse(z.array(generationSchema), data);
}

export function useRecentGenerations() {
  return useQuery({ queryKey: adminKeys.generations, queryFn: fetchGenerations });
}
