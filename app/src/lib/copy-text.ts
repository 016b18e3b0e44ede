/**
 * Copies text, also in in-app browsers without the Clipboard API (SPECIFICATION.md S-177). Resolves
 * to whether it worked.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  field.readOnly = true;
  field.style.position = 'fixed';
  field.style.opacity = '0';
  // The field is inside an open dialog, so that the focus trap lets it be selected.
  const host = document.querySelector('[role="dialog"]') ?? document.body;
  host.append(field);
  field.select();
  try {
    // This is the only way if the Clipboard API is missing.
    // eslint-disable-next-line @typescript-eslint/no-deprecated
    return document.execCommand('copy');
  } finally {
    field.remove();
  }
}
