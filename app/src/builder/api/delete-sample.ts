import { supabase } from '@/lib/supabase';
import { authorizationFor } from '@/lib/user-authorization';

/** Deletes a sample. If that fails, the server deletes it within a day (SPECIFICATION.md D37). */
export async function deleteSample(userId: string, object: string): Promise<void> {
  if (await authorizationFor(userId)) await supabase.storage.from('samples').remove([object]);
}
