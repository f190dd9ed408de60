import { editDistance } from "./edit-distance.ts";

const folded = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "");

export const nearest = (name: string, names: readonly string[]): string | undefined => {
  if (name.length > 64) return undefined;
  let best: string | undefined;
  let least = Math.min(3, Math.ceil(name.length / 3) + 1);
  for (const each of names.slice(0, 200)) {
    if (Math.abs(each.length - name.length) > 8) continue;
    const apart = folded(each) === folded(name) ? 0 : editDistance(each, name);
    if (apart < least) [best, least] = [each, apart];
  }
  return best;
};

/** With a leading space, or empty. */
export const suggestName = (name: string, names: readonly string[]): string => {
  const meant = nearest(name, names);
  return meant === undefined ? "" : ` Did you mean "${meant}"?`;
};
