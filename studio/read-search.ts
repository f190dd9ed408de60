/** What a filter of the address may be. Whatever else stands there is as if it did not. */
export type Search = Readonly<Record<string, unknown>>;

export const readText = (search: Search, name: string): Record<string, string> => {
  const value = search[name];
  if (typeof value === "string" && value !== "") return { [name]: value };
  return typeof value === "number" ? { [name]: String(value) } : {};
};

export const readTexts = <const Names extends readonly string[]>(
  search: Search,
  names: Names,
): { readonly [Each in Names[number]]?: string } =>
  Object.assign({}, ...names.map((name) => readText(search, name)));

export const readWord = <Word extends string>(
  search: Search,
  name: string,
  words: readonly Word[],
): Word | undefined => words.find((word) => word === search[name]);

export const readNumber = (search: Search, name: string): number | undefined => {
  const value = Number(search[name]);
  return search[name] !== undefined && Number.isFinite(value) && value >= 0 ? value : undefined;
};
