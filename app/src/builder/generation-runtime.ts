import { callFunction } from './api/call-function';
import { cancelGeneration } from './api/cancel-generation';
import { sendDocument } from './api/send-document';
import { mailFailureReason, refusedField, showOutcome } from './outcome-messages';
import { runGeneration } from './generation';
import { requestKey } from './request-key';

/**
 * The code that generates and delivers a document. It loads
 * with the checks, without which nothing is generated.
 */
export const generationRuntime = {
  requestKey,
  runGeneration,
  callFunction,
  cancelGeneration,
  refusedField,
  showOutcome,
  sendDocument,
  mailFailureReason,
};
