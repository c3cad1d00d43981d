// Marks the icon of the tab with a dot while something needs the person.

const DOT = '<circle cx="25" cy="7" r="6" fill="#e5484d" stroke="#fff" stroke-width="2"/>';

let plain: string | undefined;
let isWanted = false;

export function markFavicon(isMarked: boolean): void {
  isWanted = isMarked;
  void apply();
}

async function apply(): Promise<void> {
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (link === null || (plain === undefined && !isWanted)) return;
  plain ??= link.href;
  const marked = isWanted ? await withDot(plain).catch(() => undefined) : undefined;
  link.href = (isWanted ? marked : undefined) ?? plain;
}

async function withDot(href: string): Promise<string> {
  const svg = await (await fetch(href)).text();
  return `data:image/svg+xml,${encodeURIComponent(svg.replace('</svg>', `${DOT}</svg>`))}`;
}
