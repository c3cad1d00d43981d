// Splits text from agents into prose and code at Markdown fences and backticks. All parts are rendered as plain text,
// never as markup.

export type MarkdownPiece = { kind: 'prose' | 'code'; text: string; language?: string };

const FENCE = /^[ \t]*(```+|~~~+)[ \t]*([\w+#.-]*)[^\n`]*$/;

/** Alternating prose and code. An unclosed fence extends to the end. */
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

/** The parts between single backticks are at odd indexes. */
export function splitInlineCode(prose: string): string[] {
  return prose.split(/`([^`\n]+)`/);
}
