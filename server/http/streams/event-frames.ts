// Encodes events for the wire. Each event is encoded once and shared by all readers, so additional readers take no
// extra memory.
import type { StreamEvent } from '../../domain/events.ts';

export type Frame = (event: StreamEvent, idOf: (event: StreamEvent) => string) => Buffer;

/** The two encodings of an event, each cached as long as the event exists. */
export function keepFrames(): { ofAgent: Frame; ofNetwork: Frame } {
  return { ofAgent: keepForm(({ data }) => data), ofNetwork: keepForm(withRecipient) };
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

// The network stream includes the recipient of each event.
function withRecipient({ alias, data }: StreamEvent): string {
  return alias === null ? data : `{"alias":${JSON.stringify(alias)},${data.slice(1)}`;
}
