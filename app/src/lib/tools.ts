import type { MessageKey } from './i18n';

export interface Tool {
  id: 'lesson-plan' | 'question-paper' | 'teaching-aids' | 'communication-tool';
  /** Its name on the landing page and on /home. */
  publicName: MessageKey;
  homeName: MessageKey;
  detail: MessageKey;
  shortDetail: MessageKey;
  preview: string;
  path: string;
}

/** The four working tools (SPECIFICATION.md S-002). */
export const tools: readonly Tool[] = [
  {
    id: 'lesson-plan',
    publicName: 'tools.lessonPlan',
    homeName: 'tools.lessonPlanHome',
    detail: 'tools.lessonPlanDetail',
    shortDetail: 'tools.lessonPlanShort',
    preview: '/public-lesson-plan',
    path: '/lesson-plan',
  },
  {
    id: 'question-paper',
    publicName: 'tools.questionPaper',
    homeName: 'tools.questionPaperHome',
    detail: 'tools.questionPaperDetail',
    shortDetail: 'tools.questionPaperShort',
    preview: '/public-question-paper',
    path: '/question-paper',
  },
  {
    id: 'teaching-aids',
    publicName: 'tools.teachingAids',
    homeName: 'tools.teachingAids',
    detail: 'tools.teachingAidsDetail',
    shortDetail: 'tools.teachingAidsShort',
    preview: '/public-teaching-aids',
    path: '/teaching-aids',
  },
  {
    id: 'communication-tool',
    publicName: 'tools.communication',
    homeName: 'tools.communication',
    detail: 'tools.communicationDetail',
    shortDetail: 'tools.communicationShort',
    preview: '/public-communication-tool',
    path: '/communication-tool',
  },
];

/** The eight announced tools (SPECIFICATION.md S-003). */
export const comingSoonTools: readonly MessageKey[] = [
  'tools.assessment',
  'tools.digital',
  'tools.timeSaving',
  'tools.professional',
  'tools.engagement',
  'tools.exam',
  'tools.curriculum',
  'tools.creative',
];
