// What the process that runs a hook passes on to it.

const { env } = process;

/** The variable to which the configuration of a project refers. */
export function referencedToken(): string | undefined {
  return env.HUB_TOKEN || undefined;
}

/** Whether a person sees the session. `claude -p` waits for its hooks, so a waiter would keep it from ending. */
export function isAttended(): boolean {
  return (env.CLAUDE_CODE_ENTRYPOINT ?? 'cli') === 'cli';
}
