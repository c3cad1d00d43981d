// The only live region of the console, hidden visually.
import { announcement } from './announcements.ts';

export function Announcer() {
  return (
    <p class="off-screen" role="status" aria-live="polite">
      {announcement}
    </p>
  );
}
