/**
 * Copies text, also in in-app browsers without the Clipboard API (SPECIFICATION.md S-177). Says whether it
 * worked.
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
  // Inside an open dialog, so that its focus trap lets the field be selected.
  const host = document.querySelector('[role="dialog"]') ?? document.body;
  host.append(field);
  field.select();
  try {
    // The only way left where the Clipboard API is missing.
    // eslint-disable-next-line @typescript-eslint/no-deprecated
    return document.execCommand('copy');
  } finally {
    field.remove();
  }
}
