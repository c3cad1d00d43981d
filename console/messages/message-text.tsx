// Renders a message as plain text and its code in code style.
import { words } from '../i18n/language.ts';
import { CopyButton } from '../parts/copy.tsx';
import { type MarkdownPiece, parseMarkdown, splitInlineCode } from './markdown.ts';

export function MessageText({ title, text }: { title: string; text: string }) {
  return (
    <section class="text-block" aria-label={title}>
      <header class="text-block-head">
        <h2>{title}</h2>
        <CopyButton text={text} what={title} />
      </header>
      <PlainOrCode text={text} label={title} />
    </section>
  );
}

export function PlainOrCode({ text, label }: { text: string; label: string }) {
  return (
    <div class="text-block-text" dir="auto" role="group" aria-label={label} tabIndex={0}>
      {parseMarkdown(text).map((piece, index) => (
        <Piece key={index} piece={piece} />
      ))}
    </div>
  );
}

function Piece({ piece }: { piece: MarkdownPiece }) {
  if (piece.kind === 'prose')
    return (
      <p class="prose">
        {splitInlineCode(piece.text).map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}
      </p>
    );
  return (
    <figure class="code">
      {piece.language !== undefined && <figcaption class="code-language">{piece.language}</figcaption>}
      {/* Long lines scroll, also from the keyboard. */}
      <pre dir="ltr" tabIndex={0}>
        <code>{piece.text}</code>
      </pre>
    </figure>
  );
}

export function NoMessageText({ title, text }: { title: string; text: string }) {
  return (
    <section class="text-block" aria-label={title}>
      <header class="text-block-head">
        <h2>{title}</h2>
      </header>
      <p class="text-block-empty">{text}</p>
    </section>
  );
}

export const emptyResult = (isLive: boolean) =>
  isLive ? words.value.tasks.noResult.live : words.value.tasks.noResult.finished;
