// The steps taken on the connect page, which the tab keeps across reloads.
import { keptOf } from '../live/kept.ts';

/** Each is empty until its step is taken. */
export function stepsTaken() {
  return {
    token: keptOf('connect.token'),
    reported: keptOf('connect.reported'),
    task_id: keptOf('connect.task'),
  };
}

/** Starts again with another agent, which can use the same token. */
export function forgetSteps(): void {
  const { reported, task_id } = stepsTaken();
  reported.value = '';
  task_id.value = '';
}
