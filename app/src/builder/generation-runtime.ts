import { callFunction } from './api/call-function';
import { cancelGeneration } from './api/cancel-generation';
import { sendDocument } from './api/send-document';
import { showOutcome, mailFailureReason } from './outcome-messages';
import { runGeneration } from './generation';
import { requestKey } from './request-key';

/** What makes a document and delivers it; it comes with the checks, without which nothing is made. */
export const generationRuntime = {
  requestKey,
  runGeneration,
  callFunction,
  cancelGeneration,
  showOutcome,
  sendDocument,
  mailFailureReason,
};
