// Renders the tree of a text with the elements of the console.
import { words } from '../i18n/language.ts';
import { Icon } from '../parts/icon.tsx';
import { CodeBlock } from './code-block.tsx';
import { Letters } from './letters.tsx';
import type { Block, Cell, Inline, Item } from './tree.ts';
import { WebLink } from './web-link.tsx';

export function Blocks({ blocks }: { blocks: readonly Block[] }) {
  return blocks.map((block, index) => <OneBlock key={index} block={block} />);
}

function OneBlock({ block }: { block: Block }) {
  switch (block.kind) {
    case 'heading':
      return <Heading depth={block.depth}>{block.children}</Heading>;
    case 'quote':
      return (
        <blockquote>
          <Blocks blocks={block.children} />
        </blockquote>
      );
    case 'list':
      return <List start={block.start} items={block.items} />;
    case 'table':
      return <Table head={block.head} rows={block.rows} />;
    case 'code':
      return <CodeBlock language={block.language} text={block.text} />;
    case 'rule':
      return <hr />;
    default:
      return (
        <p class="prose" dir="auto">
          <Line parts={block.children} />
        </p>
      );
  }
}

/** A heading of the text is not one of the page: its level would depend on what an agent wrote before. */
function Heading({ depth, children }: { depth: number; children: readonly Inline[] }) {
  return (
    <p class="text-heading" data-depth={Math.min(depth, 3)} dir="auto">
      <Line parts={children} />
    </p>
  );
}

function List({ start, items }: { start: number | undefined; items: readonly Item[] }) {
  const rows = items.map((item, index) => <ListItem key={index} item={item} />);
  return start === undefined ? <ul>{rows}</ul> : <ol start={start}>{rows}</ol>;
}

function ListItem({ item: { done, children } }: { item: Item }) {
  const { text } = words.value;
  return (
    <li data-done={done}>
      {done !== undefined && (
        <span class="todo" role="img" aria-label={done ? text.done : text.open}>
          {done && <Icon name="check" />}
        </span>
      )}
      <Blocks blocks={children} />
    </li>
  );
}

function Table({ head, rows }: { head: readonly Cell[]; rows: readonly (readonly Cell[])[] }) {
  return (
    <div class="text-table" role="group" aria-label={words.value.text.table} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((cell, index) => (
              <th key={index} scope="col" dir="auto" data-align={cell.align}>
                <Line parts={cell.children} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <Row key={index} row={row} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ row }: { row: readonly Cell[] }) {
  return (
    <tr>
      {row.map((cell, index) => (
        <td key={index} dir="auto" data-align={cell.align}>
          <Line parts={cell.children} />
        </td>
      ))}
    </tr>
  );
}

function Line({ parts }: { parts: readonly Inline[] }) {
  return parts.map((part, index) => <Part key={index} part={part} />);
}

function Part({ part }: { part: Inline }) {
  if (typeof part === 'string') return <Letters text={part} />;
  if (part.kind === 'code')
    return (
      <code>
        <Letters text={part.text} />
      </code>
    );
  const children = <Line parts={part.children} />;
  if (part.kind === 'link')
    return (
      <WebLink target={part.target} label={lettersOf(part.children)}>
        {children}
      </WebLink>
    );
  const Element = ELEMENTS[part.kind];
  return <Element>{children}</Element>;
}

const ELEMENTS = { strong: 'strong', emphasis: 'em', deleted: 'del' } as const;

function lettersOf(parts: readonly Inline[]): string {
  return parts
    .map((part) => (typeof part === 'string' ? part : part.kind === 'code' ? part.text : lettersOf(part.children)))
    .join('');
}
