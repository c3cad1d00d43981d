// The console's own icons: one path each on a 16 by 16 grid, drawn in the colour of the text beside them. They carry no
// meaning alone; a word or a label stands with each.

const PATHS = {
  arrow: 'M3 8h10M9 4l4 4-4 4',
  check: 'M3 8.5 6.5 12 13 4.5',
  chevron: 'm6 4 4 4-4 4',
  close: 'm4 4 8 8M12 4l-8 8',
  copy: 'M5.5 5.5v-2a1 1 0 0 1 1-1h6a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-2M3.5 5.5h6a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-6a1 1 0 0 1-1-1v-6a1 1 0 0 1 1-1Z',
  eye: 'M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8ZM8 6a2 2 0 1 0 0 4 2 2 0 0 0 0-4Z',
  high: 'M8 13V3.5M4 7l4-4 4 4',
  inbox: 'M2 9h3.5L7 11h2l1.5-2H14M2 9l2-5.5h8L14 9v3.5H2Z',
  low: 'M8 3v9.5M4 9l4 4 4-4',
  menu: 'M8 2.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5ZM2.5 14a5.5 4 0 0 1 11 0',
  plus: 'M8 3v10M3 8h10',
  retry: 'M13 8a5 5 0 1 1-1.5-3.6M13 2v3h-3',
  send: 'M14 2 7 9M14 2l-4.5 12L7 9 2 6.5Z',
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
