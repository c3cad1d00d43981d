// A button that shows only an icon. Its label is read by screen readers and shown on hover.
import { Icon, type IconName } from './icon.tsx';

type IconButtonProps = { icon: IconName; label: string; isSmall?: boolean; isPressed?: boolean; onClick(): void };

export function IconButton({ icon, label, isSmall = false, isPressed, onClick }: IconButtonProps) {
  return (
    <button
      type="button"
      class={`button button-quiet button-icon ${isSmall ? 'button-small' : ''}`}
      aria-label={label}
      title={label}
      aria-pressed={isPressed}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}
