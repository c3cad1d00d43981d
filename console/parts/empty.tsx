// A list with nothing in it: what that means, and what to do next.
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
