/** Invalid values are ignored. */
export type SearchParams = Readonly<Record<string, unknown>>;

export const readSearchText = (search: SearchParams, name: string): string | undefined => {
  const value = search[name];
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
};

/** Missing names become `undefined`; otherwise the router would pass on unvalidated values. */
export const readSearchTexts = <const Names extends readonly string[]>(
  search: SearchParams,
  names: Names,
): { readonly [Each in Names[number]]?: string } =>
  Object.fromEntries(names.map((name) => [name, readSearchText(search, name)])) as {
    readonly [Each in Names[number]]?: string;
  };

export const readSearchChoice = <Word extends string>(
  search: SearchParams,
  name: string,
  words: readonly Word[],
): Word | undefined => words.find((word) => word === search[name]);

export const readSearchNumber = (search: SearchParams, name: string): number | undefined => {
  const value = Number(search[name]);
  return search[name] !== undefined && Number.isFinite(value) && value >= 0 ? value : undefined;
};

export const partialFields = <Fields extends object>(fields: Fields): Partial<Fields> => fields;
