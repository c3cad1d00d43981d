// The empty state of a list, with a suggested next step.
import type { ComponentChildren } from 'preact';

export function Empty({
  title,
  text,
  children,
}: {
  title: string;
  text?: string | undefined;
  children?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {text !== undefined && <p class="empty-text">{text}</p>}
      {children}
    </div>
  );
}
