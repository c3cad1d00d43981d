// The dialogs that every page can open.
import { sendAsked } from '../messages/open-send.ts';
import { SendDialog } from '../messages/send-dialog.tsx';
import { Help } from './help.tsx';
import { overlay } from './keyboard.ts';
import { Palette } from './palette.tsx';

export function Overlays() {
  return (
    <>
      {overlay.value === 'palette' && <Palette />}
      {overlay.value === 'help' && <Help />}
      {sendAsked.value !== null && <SendDialog {...sendAsked.value} />}
    </>
  );
}
