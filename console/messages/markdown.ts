// Cuts a text that an agent wrote into prose and code, by the fences and ticks of Markdown. Nothing in it is ever
// markup: every piece is shown as the text it is.

export type MarkdownPiece = { kind: 'prose' | 'code'; text: string; language?: string };

const FENCE = /^[ \t]*(```+|~~~+)[ \t]*([\w+#.-]*)[^\n`]*$/;

/** Prose and code in turn. A fence that is never closed reaches to the end. */
export function parseMarkdown(text: string): MarkdownPiece[] {
  const pieces: MarkdownPiece[] = [];
  let lines: string[] = [];
  let fence: { mark: string; language: string } | undefined;
  const finish = (kind: MarkdownPiece['kind'], language = '') => {
    const held = kind === 'prose' ? lines.join('\n').replace(/^\n+|\n+$/g, '') : lines.join('\n');
    if (held !== '') pieces.push({ kind, text: held, ...(language !== '' && { language }) });
    lines = [];
  };
  for (const line of text.split('\n')) {
    const [, mark = '', language = ''] = FENCE.exec(line) ?? [];
    if (fence === undefined && mark !== '') {
      finish('prose');
      fence = { mark, language };
    } else if (fence !== undefined && mark.startsWith(fence.mark) && language === '') {
      finish('code', fence.language);
      fence = undefined;
    } else lines.push(line);
  }
  finish(fence === undefined ? 'prose' : 'code', fence?.language);
  return pieces;
}

/** The words between single ticks, every second piece. */
export function ticksOf(prose: string): string[] {
  return prose.split(/`([^`\n]+)`/);
}
