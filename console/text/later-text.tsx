// Shows a text as it was written until the code that formats it has loaded. For dialogs, which the first page opens.
import { later } from '../frame/later.tsx';
import type { TextProps } from './agent-text.tsx';

export const LaterText = later<TextProps>(
  async () => (await import('./agent-text.tsx')).AgentText,
  ({ text }) => <p class="prose">{text}</p>,
);
