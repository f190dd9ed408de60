const maxQueryParts = 8;
const minPartWords = 3;
const partSeparator =
  /(?<=[.?!;。？！；])\s*|\n+|,?\s+(?:and then|and also|as well as|additionally|finally|then|also|and)\s+/iu;

/** One vector for several intents is near none of them, so each part has its own. */
export const queryParts = (query: string): readonly string[] => {
  const parts = query
    .split(partSeparator)
    .map((part) => part.trim())
    .filter((part) => part.split(/\s+/, minPartWords).length === minPartWords);
  return parts.length < 2 ? [query] : [...new Set([query, ...parts.slice(0, maxQueryParts)])];
};
