import { useQuery } from '@tanstack/react-query';
import { supabase } from '@/lib/supabase';
import type { GeneratedDocument, Tool } from '../tool';
import { builderKeys } from './keys';

/** A document of the last 24 hours, without its content. */
export interface PastDocument {
  id: string;
  title: string;
  finishedAt: Date;
}

const maximumShown = 10;

/**
 * Reads the user's delivered documents of one tool, newest first, as long as the server has them.
 */
async function fetchHistory(functionName: string): Promise<PastDocument[]> {
  const { data, error } = await supabase
    .from('generations')
    .select('id, finished_at, title:result->data->>title, filename:result->>filename')
    .eq('tool', functionName)
    .not('result', 'is', null)
    .order('finished_at', { ascending: false })
    .limit(maximumShown);
  if (error) throw new Error(error.message);
  return data.map(({ id, finished_at, title, filename }) => ({
    id,
    title: textOf(title) ?? textOf(filename) ?? '',
    finishedAt: new Date(finished_at ?? 0),
  }));
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function useHistory(functionName: string, userId: string) {
  return useQuery({
    queryKey: builderKeys.history(functionName, userId),
    queryFn: () => fetchHistory(functionName),
  });
}

/** Reads a whole past document. Null if the server no longer has it or it cannot be read. */
export async function fetchPastDocument<Form, Content>(
  tool: Tool<Form, Content>,
  id: string,
): Promise<GeneratedDocument<Content> | null> {
  const { read } = await tool.checks();
  const { data } = await supabase.from('generations').select('result').eq('id', id).maybeSingle().retry(true);
  const answer = data?.result ? read(data.result) : null;
  return answer?.kind === 'done' ? answer.document : null;
}
