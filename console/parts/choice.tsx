// A group of radio buttons styled as a segmented control.

type ChoiceProps<Value extends string> = {
  name: string;
  legend: string;
  options: readonly { value: Value; label: string; lang?: string }[];
  chosen: Value;
  onChoose(value: Value): void;
};

export function Choice<Value extends string>({ name, legend, options, chosen, onChoose }: ChoiceProps<Value>) {
  return (
    <fieldset class="choice">
      <legend class="field-label">{legend}</legend>
      <div class="choice-options">
        {options.map(({ value, label, lang }) => (
          <label key={value} class="choice-option" lang={lang}>
            <input type="radio" name={name} value={value} checked={value === chosen} onChange={() => onChoose(value)} />
            <span>{label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
