// Reads and writes browser storage. The page keeps working when storage is unavailable.

type StorageName = 'sessionStorage' | 'localStorage';

export function readStored(storage: StorageName, key: string): string | null {
  try {
    return window[storage].getItem(key);
  } catch {
    return null;
  }
}

export function writeStored(storage: StorageName, key: string, value: string): void {
  try {
    window[storage].setItem(key, value);
  } catch {
    // Storage is full or blocked. The value lasts as long as this page.
  }
}

export function removeStored(storage: StorageName, key: string): void {
  try {
    window[storage].removeItem(key);
  } catch {
    // Nothing was stored, so there is nothing to remove.
  }
}
