import { useQuery } from '@tanstack/react-query';
import * as z from 'zod/mini';
import { supabase } from '@/lib/supabase';
import { adminKeys } from './keys';

/** The types of a function's columns do not tell which may be missing. */
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

/** What was generated in the last 24 hours, without what it says. Throws what the API says. */
async function fetchGenerations(): Promise<RecentGeneration[]> {
  const { data, error } = await supabase.rpc('admin_recent_generations');
  if (error) throw new Error(error.message);
  return z.parse(z.array(generationSchema), data);
}

export function useRecentGenerations() {
  return useQuery({ queryKey: adminKeys.generations, queryFn: fetchGenerations });
}
