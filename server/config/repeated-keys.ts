// Finds the keys that a JSON object has more than once. JSON.parse keeps only the last value, without an error.

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g;
const DEPTHS: Readonly<Record<string, number>> = { '{': 1, '[': 1, '}': -1, ']': -1 };

/** `text` is valid JSON. Looks only at the outermost object. */
export function repeatedKeys(text: string): string[] {
  const keys = outermostKeys(text);
  return [...new Set(keys.filter((key, index) => keys.indexOf(key) < index))];
}

function outermostKeys(text: string): string[] {
  const tokens = text.match(TOKEN) ?? [];
  let depth = 0;
  return tokens.flatMap((token, index) => {
    depth += DEPTHS[token] ?? 0;
    return depth === 1 && tokens[index + 1] === ':' ? [String(JSON.parse(token))] : [];
  });
}
