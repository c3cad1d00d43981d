// The icons of the console, one path each on a 16 by 16 grid, in the color of the adjacent text. Icons never carry
// meaning alone; each has a visible or accessible label.

const PATHS = {
  admin: 'M8 1.8l5 1.7v4c0 3-2 5.4-5 6.7-3-1.3-5-3.7-5-6.7v-4ZM5.8 7.8l1.6 1.6 2.8-3',
  agents:
    'M4 5.5h8a1 1 0 0 1 1 1v5a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1v-5a1 1 0 0 1 1-1ZM8 5.5V2.8M6 8.5v1M10 8.5v1M1.3 8.3v1.6M14.7 8.3v1.6',
  arrow: 'M3 8h10M9 4l4 4-4 4',
  bell: 'M3.3 11.5h9.4c-.9-1-1.4-2.1-1.4-4.3a3.3 3.3 0 0 0-6.6 0c0 2.2-.5 3.3-1.4 4.3ZM6.7 13.7h2.6M8 3.9V2.3',
  board: 'M2.5 3h3v10h-3ZM6.5 3h3v6h-3ZM10.5 3h3v8h-3Z',
  bookmark: 'M4 2.5h8v11L8 10.7 4 13.5Z',
  check: 'M3 8.5 6.5 12 13 4.5',
  chevron: 'm6 4 4 4-4 4',
  close: 'm4 4 8 8M12 4l-8 8',
  copy: 'M5.5 5.5v-2a1 1 0 0 1 1-1h6a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-2M3.5 5.5h6a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-6a1 1 0 0 1-1-1v-6a1 1 0 0 1 1-1Z',
  clock: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11ZM8 5v3l2 1.5',
  download: 'M8 2.5v7.7M4.8 7.2 8 10.4l3.2-3.2M3 13.5h10',
  eye: 'M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8ZM8 6a2 2 0 1 0 0 4 2 2 0 0 0 0-4Z',
  filter: 'M2 4h12M4.5 8h7M7 12h2',
  help: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11ZM6.3 6.5a1.7 1.7 0 1 1 2.4 1.5c-.5.3-.7.6-.7 1.1M8 11.2v.01',
  high: 'M8 13V3.5M4 7l4-4 4 4',
  inbox: 'M2 9h3.5L7 11h2l1.5-2H14M2 9l2-5.5h8L14 9v3.5H2Z',
  info: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11ZM8 7.5v3.5M8 5.1v.01',
  low: 'M8 3v9.5M4 9l4 4 4-4',
  menu: 'M8 2.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5ZM2.5 14a5.5 4 0 0 1 11 0',
  message: 'M2.5 3.5h11v7.5H8L4.8 13.5V11H2.5Z',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  networks:
    'M8 2a1.8 1.8 0 1 0 0 3.6A1.8 1.8 0 0 0 8 2ZM3.5 10.4a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6ZM12.5 10.4a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6ZM7.1 5.5 4.4 10.5M8.9 5.5l2.7 5M5.3 12.2h5.4',
  outside: 'M6.5 3.5h-3v9h9v-3M9 2.5h4.5V7M13.2 2.8 7.5 8.5',
  overview: 'M2.5 2.5h5v6h-5ZM2.5 10.5h5v3h-5ZM9.5 2.5h4v3h-4ZM9.5 7.5h4v6h-4Z',
  person: 'M8 2.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5ZM2.5 14a5.5 4 0 0 1 11 0',
  plus: 'M8 3v10M3 8h10',
  retry: 'M13 8a5 5 0 1 1-1.5-3.6M13 2v3h-3',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9ZM10.3 10.3l3.2 3.2',
  send: 'M14 2 7 9M14 2l-4.5 12L7 9 2 6.5Z',
  sequence: 'M3 2v12M13 2v12M3 5h10M11 3l2 2-2 2M13 11H3M5 9l-2 2 2 2',
  table: 'M2.5 3.5h11v9h-11ZM2.5 6.5h11M6 6.5v6',
  tasks: 'M2.5 4.3l1 1 1.7-2M2.5 8.6l1 1 1.7-2M2.5 12.6l1 1 1.7-2M8 4.5h5.5M8 8.7h5.5M8 12.8h5.5',
  tokens: 'M10.5 2.5a3 3 0 1 0 0 6 3 3 0 0 0 0-6ZM8.3 7.6 2.5 13.4M4.5 11.4l1.7 1.7',
  warning: 'M8 2 1.5 13.5h13ZM8 6.5v3.5M8 12v.01',
  delivered: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11Z',
  running: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11ZM6.8 5.8v4.4L10.4 8Z',
  replied: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11ZM5.5 8.2 7.3 10l3.2-4',
  failed: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11Zm-2 3.5 4 4m0-4-4 4',
  cancelled: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11ZM5.5 8h5',
  expired: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11ZM8 5v3l2 1.5',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class={`icon icon-${name}`} viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

/** A link that shows only an icon. */
export function IconLink({ icon, label, href }: { icon: IconName; label: string; href: string }) {
  return (
    <a class="button button-quiet button-icon" href={href} aria-label={label} title={label}>
      <Icon name={icon} />
    </a>
  );
}

type IconButtonProps = { icon: IconName; label: string; isSmall?: boolean; isPressed?: boolean; onClick(): void };

/** Shows only an icon. Its label is read by screen readers and shown on hover. */
export function IconButton({ icon, label, isSmall = false, isPressed, onClick }: IconButtonProps) {
  return (
    <button
      type="button"
      class={`button button-quiet button-icon ${isSmall ? 'button-small' : ''}`}
      aria-label={label}
      title={label}
      aria-pressed={isPressed}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}
