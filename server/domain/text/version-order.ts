// Compares versions of agenthub.

export type Order = 'newer' | 'same' | 'older';

/** The precedence of semantic versions: 1.2.0-rc.1 is older than 1.2.0. */
export function orderOf(version: string, than: string): Order {
  const [one, other] = [version, than].map(partsOf);
  if (one === undefined || other === undefined) return 'same';
  const difference = compareLists(one.numbers, other.numbers) || comparePrereleases(one.prerelease, other.prerelease);
  if (difference === 0) return 'same';
  return difference > 0 ? 'newer' : 'older';
}

type Parts = { numbers: string[]; prerelease: string[] };

function partsOf(version: string): Parts {
  const [release = '', ...prerelease] = version.replace(/\+.*$/, '').split('-');
  return { numbers: release.split('.'), prerelease: prerelease.join('-').split('.').filter(Boolean) };
}

function comparePrereleases(one: readonly string[], other: readonly string[]): number {
  if (one.length === 0 || other.length === 0) return other.length - one.length;
  return compareLists(one, other);
}

/** Numbers are less than words, and a shorter list is less than one that it begins. */
function compareLists(one: readonly string[], other: readonly string[]): number {
  for (const [index, part] of one.entries()) {
    const against = other[index];
    if (against === undefined) return 1;
    const [isNumber, isOtherNumber] = [/^\d+$/.test(part), /^\d+$/.test(against)];
    if (isNumber && isOtherNumber && Number(part) !== Number(against)) return Number(part) - Number(against);
    if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
    if (!isNumber && part !== against) return part < against ? -1 : 1;
  }
  return one.length - other.length;
}
