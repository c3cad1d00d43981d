// What the browser keeps between visits. A browser that refuses to keep anything costs the person comfort, never the
// page.

type Shelf = 'sessionStorage' | 'localStorage';

export function recall(shelf: Shelf, key: string): string | null {
  try {
    return window[shelf].getItem(key);
  } catch {
    return null;
  }
}

export function keep(shelf: Shelf, key: string, value: string): void {
  try {
    window[shelf].setItem(key, value);
  } catch {
    // Storage is full or forbidden: the value lives as long as this page.
  }
}

export function forget(shelf: Shelf, key: string): void {
  try {
    window[shelf].removeItem(key);
  } catch {
    // Nothing was kept, so nothing is left to forget.
  }
}
