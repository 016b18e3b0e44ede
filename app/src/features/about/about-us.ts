import type { MessageKey } from '@/lib/i18n';

export interface Chapter {
  heading: MessageKey;
  paragraphs: readonly MessageKey[];
}

/** Mission, vision and story (SPECIFICATION.md S-096). */
export const aboutUsChapters: readonly Chapter[] = [
  { heading: 'aboutUs.mission', paragraphs: ['aboutUs.missionWriting', 'aboutUs.missionUse'] },
  { heading: 'aboutUs.vision', paragraphs: ['aboutUs.visionPlace', 'aboutUs.visionYears'] },
  {
    heading: 'aboutUs.story',
    paragraphs: ['aboutUs.storyBegins', 'aboutUs.storyTools', 'aboutUs.storyDrafts'],
  },
];

/** The three feature cards (SPECIFICATION.md S-096). */
export const aboutUsFeatures: readonly { title: MessageKey; text: MessageKey }[] = [
  { title: 'aboutUs.board', text: 'aboutUs.boardDetail' },
  { title: 'aboutUs.marks', text: 'aboutUs.marksDetail' },
  { title: 'aboutUs.opens', text: 'aboutUs.opensDetail' },
];
