// Which targets of links may be opened, and how they are named.

/**
 * The address as the browser would open it, with a host in ASCII, so that no letter passes for another. Undefined
 * unless the target is an absolute web address without credentials.
 */
export function webAddress(target: string): string | undefined {
  if (!/^https?:\/\//i.test(target) || !URL.canParse(target)) return undefined;
  const { href, username, password } = new URL(target);
  return username === '' && password === '' ? href : undefined;
}

/** Whether a link with this text shows where it leads. People often omit the scheme. */
export function showsTarget(label: string, target: string): boolean {
  return withoutScheme(label.trim()) === withoutScheme(target);
}

function withoutScheme(address: string): string {
  return address.replace(/^https?:\/\//i, '').replace(/\/$/, '');
}
