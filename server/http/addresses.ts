// Which addresses and names mean this machine.

/** `127.0.0.1` and its siblings, `::1`, and the first of them as IPv6 writes it. */
export function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127(\.\d{1,3}){3}$/i.test(address);
}

export function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost') || isLoopback(name);
}
