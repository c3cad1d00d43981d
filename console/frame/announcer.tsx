// The one live region of the console: heard, not seen.
import { announcement } from './announcements.ts';

export function Announcer() {
  return (
    <p class="off-screen" role="status" aria-live="polite">
      {announcement}
    </p>
  );
}
