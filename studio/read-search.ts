/** What a filter of the address may be. Whatever else stands there is as if it did not. */
export type Search = Readonly<Record<string, unknown>>;

export const readText = (search: Search, name: string): string | undefined => {
  const value = search[name];
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
};

/** Every name is there, if only as `undefined`: the router would else hand on what stands in the address. */
export const readTexts = <const Names extends readonly string[]>(
  search: Search,
  names: Names,
): { readonly [Each in Names[number]]?: string } =>
  Object.fromEntries(names.map((name) => [name, readText(search, name)])) as {
    readonly [Each in Names[number]]?: string;
  };

export const readWord = <Word extends string>(
  search: Search,
  name: string,
  words: readonly Word[],
): Word | undefined => words.find((word) => word === search[name]);

export const readNumber = (search: Search, name: string): number | undefined => {
  const value = Number(search[name]);
  return search[name] !== undefined && Number.isFinite(value) && value >= 0 ? value : undefined;
};

/** Filters that an address may leave out. */
export const optional = <Fields extends object>(fields: Fields): Partial<Fields> => fields;
