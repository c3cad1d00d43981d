// Where others reach this hub, for the lines and links a person passes on: the address its operator gave it, or else
// the one this page came from.
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { health } from '../live/api.ts';

const hubUrl = signal(location.origin);

/** Without a slash at its end. */
export function useHubUrl(): string {
  useEffect(() => {
    health().then(
      ({ public_url }) => (hubUrl.value = public_url ?? location.origin),
      () => {},
    );
  }, []);
  return hubUrl.value;
}
