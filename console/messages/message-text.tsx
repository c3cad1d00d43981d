// A text somebody wrote, whole and inert: its code set as code, everything else as it came.
import { words } from '../i18n/language.ts';
import { CopyButton } from '../parts/copy.tsx';
import { type Piece, piecesOf, ticksOf } from './markdown.ts';

export function Passage({ title, text }: { title: string; text: string }) {
  return (
    <section class="passage" aria-label={title}>
      <header class="passage-head">
        <h2>{title}</h2>
        <CopyButton text={text} what={title} />
      </header>
      <PassageText text={text} label={title} />
    </section>
  );
}

export function PassageText({ text, label }: { text: string; label: string }) {
  return (
    <div class="passage-text" dir="auto" role="group" aria-label={label} tabIndex={0}>
      {piecesOf(text).map((piece, index) => <PieceShown key={index} piece={piece} />)}
    </div>
  );
}

function PieceShown({ piece }: { piece: Piece }) {
  if (piece.kind === 'prose') return <p class="prose">{ticksOf(piece.text).map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</p>;
  return (
    <figure class="code">
      {piece.language !== undefined && <figcaption class="code-language">{piece.language}</figcaption>}
      {/* Lines that are too long for the screen are scrolled, with keys too. */}
      <pre dir="ltr" tabIndex={0}><code>{piece.text}</code></pre>
    </figure>
  );
}

export function NoPassage({ title, text }: { title: string; text: string }) {
  return (
    <section class="passage" aria-label={title}>
      <header class="passage-head"><h2>{title}</h2></header>
      <p class="passage-none">{text}</p>
    </section>
  );
}

export const emptyResult = (isLive: boolean) => (isLive ? words.value.tasks.noResult.live : words.value.tasks.noResult.settled);
