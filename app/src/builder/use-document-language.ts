import { useState } from 'react';
import { useI18n } from '@/lib/i18n';
import type { Estimate } from './api/estimate';
import { estimatedLanguage, type DocumentLanguage } from './document-language';

interface Chapter {
  board: string;
  grade: string;
  subject: string;
  chapterName: string;
  learningObjectives?: string;
}

/**
 * Returns the language of the document that the form asks for. The estimate of a chapter is kept
 * until another chapter is typed, so that the language does not flip with every other field.
 */
export function useDocumentLanguage(values: Chapter, estimate: Estimate | undefined): DocumentLanguage {
  const { board, grade, subject, chapterName, learningObjectives = '' } = values;
  const about = [board, grade, subject, chapterName, learningObjectives].join('\n');
  const [last, setLast] = useState<{ about: string; estimate: Estimate } | null>(null);
  if (estimate && (last?.about !== about || last.estimate !== estimate)) setLast({ about, estimate });
  const { language: shown } = useI18n();
  const known = estimate ?? (last?.about === about ? last.estimate : undefined);
  const typed = `${chapterName} ${learningObjectives}`;
  const language = estimatedLanguage({ board, subject, typed }, known);
  // As long as nothing decides the language, the preview uses the reader's own.
  return language.by === 'chapter' && typed.trim() === '' ? { ...language, code: shown } : language;
}
