// The product logo: a hub with three agents.

export function Logo() {
  return (
    <svg class="logo" viewBox="0 0 32 32" aria-hidden="true">
      <rect class="logo-background" width="32" height="32" rx="7" />
      <path class="logo-lines" d="M16 16V8M16 16l-7 5M16 16l7 5" />
      <g class="logo-dots">
        <circle cx="16" cy="16" r="4" />
        <circle cx="16" cy="7.5" r="2.5" />
        <circle cx="8.6" cy="21.4" r="2.5" />
        <circle cx="23.4" cy="21.4" r="2.5" />
      </g>
    </svg>
  );
}
