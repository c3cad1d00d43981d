// Segmented controls: a group of radio buttons, and links to the views of a page.
import { Icon, type IconName } from './icon.tsx';

type ChoiceProps<Value extends string> = {
  name: string;
  legend: string;
  options: readonly { value: Value; label: string; lang?: string }[];
  chosen: Value;
  onChoose(value: Value): void;
  autoFocus?: boolean;
};

export function Choice<Value extends string>({
  name,
  legend,
  options,
  chosen,
  onChoose,
  autoFocus = false,
}: ChoiceProps<Value>) {
  return (
    <fieldset class="choice">
      <legend class="field-label">{legend}</legend>
      <div class="choice-options">
        {options.map(({ value, label, lang }) => (
          <label key={value} class="choice-option" lang={lang}>
            <input
              type="radio"
              name={name}
              value={value}
              checked={value === chosen}
              autoFocus={autoFocus && value === chosen}
              onChange={() => onChoose(value)}
            />
            <span>{label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

type ViewOption = { icon: IconName; label: string; href: string; isCurrent: boolean };

export function ViewSwitch({ label, options }: { label: string; options: readonly ViewOption[] }) {
  return (
    <nav class="switch" aria-label={label}>
      {options.map(({ icon, label: name, href, isCurrent }) => (
        <a key={name} class="switch-option" href={href} aria-current={isCurrent ? 'true' : undefined}>
          <Icon name={icon} />
          {name}
        </a>
      ))}
    </nav>
  );
}
