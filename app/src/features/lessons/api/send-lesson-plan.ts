import { supabase } from '@/lib/supabase';
import type { LessonPlan } from './generate-lesson-plan';

/** Mails a finished plan to the user's own address. Says whether the server took it. */
export async function sendLessonPlan(email: string, plan: LessonPlan): Promise<boolean> {
  const response = await supabase.functions.invoke<unknown>('send-generated-content', {
    body: {
      email,
      content: plan.text,
      filename: plan.filename,
      type: 'Lesson Plan',
      documentContent: plan.docContent,
    },
  });
  return response.error === null;
}
