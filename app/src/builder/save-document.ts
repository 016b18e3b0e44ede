import { blobFromBase64, saveBlob } from '@/lib/save-file';
import type { GeneratedDocument } from './tool';

/** Saves the file of a document on the device. */
export function saveDocument({ file, filename }: GeneratedDocument<unknown>): void {
  const blob =
    file.encoding === 'base64'
      ? blobFromBase64(file.content, file.type)
      : new Blob([file.content], { type: file.type });
  saveBlob(blob, filename);
}
