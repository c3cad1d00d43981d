// A component whose code is not part of the first page: it loads when it is first rendered, or soon after the page.
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';

type Component<Props> = (props: Props) => ComponentChildren;

const known: (() => void)[] = [];

/** Shows `Meanwhile`, by default nothing, until the code has loaded. After a failure the next rendering tries again. */
export function later<Props extends object = object>(
  load: () => Promise<Component<Props>>,
  Meanwhile: Component<Props> = () => null,
): (props: Props) => ComponentChildren {
  const loaded = signal<{ Component: Component<Props> } | null>(null);
  const start = () => {
    load().then(
      (Component) => (loaded.value = { Component }),
      () => {},
    );
  };
  known.push(start);
  return function Later(props: Props) {
    useEffect(start, []);
    const Component = loaded.value?.Component ?? Meanwhile;
    return <Component {...props} />;
  };
}

/** Preloads all of them, so that they show at once and without a connection. */
export function preloadParts(): void {
  for (const start of known) start();
}
