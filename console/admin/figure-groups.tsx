// Groups of figures: a number, what it counts, and a detail.
import type { ComponentChildren } from 'preact';

export type Figure = { label: string; value: ComponentChildren; side?: string };

export function FigureGroups({ groups }: { groups: readonly (readonly Figure[])[] }) {
  return groups.map((figures) => (
    <div key={figures[0]?.label} class="stats">
      {figures.map(({ label, value, side }) => (
        <div key={label} class="stat">
          <span class="stat-value">
            {value} {side !== undefined && <small>{side}</small>}
          </span>
          <span class="stat-label">{label}</span>
        </div>
      ))}
    </div>
  ));
}
