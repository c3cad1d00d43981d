// The placeholders of templates: names in double braces, which become fields when a template is used.

/** `${{…}}` belongs to other template languages. */
const PLACEHOLDER = /(?<!\$)\{\{([^{}\n]{1,60})\}\}/g;

/** The names of the placeholders, in order and without duplicates. */
export function placeholdersIn(...texts: readonly string[]): string[] {
  const names = texts.flatMap((text) => [...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name.trim()));
  return [...new Set(names)].filter((name) => name !== '');
}

/** Values are inserted as they are: a placeholder in a value stays text. */
export function filledIn(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(PLACEHOLDER, (whole, name: string) => {
    const trimmed = name.trim();
    return (Object.hasOwn(values, trimmed) ? values[trimmed] : undefined) ?? whole;
  });
}
