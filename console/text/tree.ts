// The syntax tree of a text from an agent. It has no node for HTML or for an image, so none can be rendered.

export type Inline =
  | string
  | { kind: 'strong' | 'emphasis' | 'deleted'; children: Inline[] }
  | { kind: 'code'; text: string }
  | { kind: 'link'; target: string; children: Inline[] };

/** `done` is set for an item of a task list. */
export type Item = { done: boolean | undefined; children: Block[] };
export type Alignment = 'left' | 'center' | 'right' | null;
export type Cell = { align: Alignment; children: Inline[] };

export type Block =
  | { kind: 'heading'; depth: number; children: Inline[] }
  | { kind: 'paragraph'; children: Inline[] }
  | { kind: 'quote'; children: Block[] }
  | { kind: 'list'; start: number | undefined; items: Item[] }
  | { kind: 'table'; head: Cell[]; rows: Cell[][] }
  | { kind: 'code'; language: string; text: string }
  | { kind: 'rule' };
