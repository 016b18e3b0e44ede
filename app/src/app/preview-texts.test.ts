import { expect, test } from 'vitest';

import * as message from '@/features/communications/option-texts';
import * as aidPreview from '@/features/previews/aid-option-texts';
import * as messagePreview from '@/features/previews/message-option-texts';
import * as paperPreview from '@/features/previews/paper-option-texts';
import * as paper from '@/features/question-papers/option-texts';
import * as aid from '@/features/teaching-aids/option-texts';

// A preview keeps words of its own, so that a builder need not share a file with it. They are the same words.
test.each([
  ['paper', paperPreview, paper],
  ['message', messagePreview, message],
])('the preview of a %s names its options as the builder does', (_, preview, builder) => {
  expect(preview).toEqual(builder);
});

test('the preview of an aid names difficulties and formats as the builder does; its kinds are a list of its own', () => {
  expect(aidPreview.difficultyTexts).toEqual(aid.difficultyTexts);
  expect(aidPreview.formatTexts).toEqual(aid.formatTexts);
});
