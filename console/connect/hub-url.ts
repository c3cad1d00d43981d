// The public URL of this hub for lines and links that users copy: the configured URL, or else the origin of this page.
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { health } from '../live/api.ts';

const hubUrl = signal(location.origin);

/** Without a trailing slash. */
export function useHubUrl(): string {
  useEffect(() => {
    health().then(
      ({ public_url }) => (hubUrl.value = public_url ?? location.origin),
      () => {},
    );
  }, []);
  return hubUrl.value;
}
