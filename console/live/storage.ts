// Reads and writes browser storage. The page keeps working when storage is unavailable.

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
    // Storage is full or blocked. The value lasts as long as this page.
  }
}

export function forget(shelf: Shelf, key: string): void {
  try {
    window[shelf].removeItem(key);
  } catch {
    // Nothing was stored, so there is nothing to remove.
  }
}
