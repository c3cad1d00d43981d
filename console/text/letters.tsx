// Plain text in which terminal styles become colors.
import { withoutMoves } from '../../server/domain/text/controls.ts';
import { styledParts } from './terminal.ts';

const ESCAPE = '\u001b';

export function Letters({ text }: { text: string }) {
  if (!text.includes(ESCAPE)) return <>{withoutMoves(text)}</>;
  return styledParts(text).map(({ text: part, color, background, isBold, isDim }, index) => (
    <span
      key={index}
      class="ansi"
      data-color={background ?? color}
      data-filled={background !== undefined || undefined}
      data-bold={isBold || undefined}
      data-dim={isDim || undefined}
    >
      {part}
    </span>
  ));
}
