import { useState } from 'react';
import { useI18n } from '@/lib/i18n';
import type { Forecast } from './api/forecast';
import { foretoldLanguage, type DocumentLanguage } from './document-language';

interface Chapter {
  board: string;
  grade: string;
  subject: string;
  chapterName: string;
  learningObjectives?: string;
}

/**
 * The language of the document that the form asks for. What was foretold of a chapter holds until another one is
 * typed, so that it does not change to and fro with every other field.
 */
export function useDocumentLanguage(values: Chapter, forecast: Forecast | undefined): DocumentLanguage {
  const { board, grade, subject, chapterName, learningObjectives = '' } = values;
  const about = [board, grade, subject, chapterName, learningObjectives].join('\n');
  const [told, setTold] = useState<{ about: string; forecast: Forecast } | null>(null);
  if (forecast && (told?.about !== about || told.forecast !== forecast)) setTold({ about, forecast });
  const { language: shown } = useI18n();
  const known = forecast ?? (told?.about === about ? told.forecast : undefined);
  const typed = `${chapterName} ${learningObjectives}`;
  const language = foretoldLanguage({ board, subject, typed }, known);
  // As long as nothing decides it, the preview speaks the reader's own.
  return language.by === 'chapter' && typed.trim() === '' ? { ...language, code: shown } : language;
}
