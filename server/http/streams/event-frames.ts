// The bytes of an event on the wire. They are written once and shared by all readers, so that a reader more costs no
// memory of its own.
import type { StreamEvent } from '../../domain/events.ts';

export type Frame = (event: StreamEvent, idOf: (event: StreamEvent) => string) => Buffer;

/** The two forms of an event, each kept for as long as the event is. */
export function keepFrames(): { ofAgent: Frame; ofNetwork: Frame } {
  return { ofAgent: keepForm(({ data }) => data), ofNetwork: keepForm(withAddressee) };
}

function keepForm(dataOf: (event: StreamEvent) => string): Frame {
  const frames = new WeakMap<StreamEvent, Buffer>();
  return (event, idOf) => {
    const known = frames.get(event);
    if (known !== undefined) return known;
    const frame = Buffer.from(`id: ${idOf(event)}\nevent: ${event.name}\ndata: ${dataOf(event)}\n\n`);
    frames.set(event, frame);
    return frame;
  };
}

// The stream of a whole network says whom each event is for.
function withAddressee({ alias, data }: StreamEvent): string {
  return alias === null ? data : `{"alias":${JSON.stringify(alias)},${data.slice(1)}`;
}
