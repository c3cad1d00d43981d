// Puts text on the clipboard. Browsers hide the modern way on plain http, where a hub often lives; the old way still works.

export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyThroughSelection(text);
  }
}

function copyThroughSelection(text: string): boolean {
  const area = document.createElement('textarea');
  const before = document.activeElement;
  area.value = text;
  area.className = 'off-screen';
  area.readOnly = true;
  // Inside an open dialog only the dialog's own children can be selected.
  (document.querySelector('dialog[open]') ?? document.body).append(area);
  area.select();
  try {
    // Deprecated, and the only way there is without a secure context.
    return document.execCommand('copy');
  } finally {
    area.remove();
    if (before instanceof HTMLElement) before.focus();
  }
}
