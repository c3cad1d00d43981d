// A link from an agent. Its target is shown next to its text, and only a click opens it, in a tab that learns nothing
// about this page.
import type { ComponentChildren } from 'preact';
import { Icon } from '../parts/icon.tsx';
import { showsTarget, webAddress } from './addresses.ts';

/** `label` is the text that `children` show. A target that is not a web address stays text. */
export function WebLink({ target, label, children }: { target: string; label: string; children: ComponentChildren }) {
  const address = webAddress(target);
  const shown = address ?? target;
  return (
    <>
      {address === undefined ? children : <OutsideLink address={address}>{children}</OutsideLink>}
      {!showsTarget(label, shown) && (
        <span class="link-target" dir="ltr">
          {' '}
          {shown}
        </span>
      )}
    </>
  );
}

function OutsideLink({ address, children }: { address: string; children: ComponentChildren }) {
  return (
    <a class="web-link" href={address} title={address} target="_blank" rel="noopener noreferrer nofollow">
      {children}
      <Icon name="outside" />
    </a>
  );
}
