import { askFunction } from './api/ask-function';
import { cancelGeneration } from './api/cancel-generation';
import { sendDocument } from './api/send-document';
import { refusedField, tellEnding, whyNotMailed } from './endings';
import { runGeneration } from './generation';
import { requestKey } from './request-key';

/** What makes a document and delivers it; it comes with the checks, without which nothing is made. */
export const making = {
  requestKey,
  runGeneration,
  askFunction,
  cancelGeneration,
  refusedField,
  tellEnding,
  sendDocument,
  whyNotMailed,
};
