/** More than these say nothing that the whole does not. */
const maxQueryParts = 8;
const minPartWords = 3;
const partSeparator =
  /(?<=[.?!;。？！；])\s*|\n+|,?\s+(?:and then|and also|as well as|additionally|finally|then|also|and)\s+/iu;

/**
 * A question and the wishes in it. One vector of many wishes lies between them and near none, so each has one of its
 * own, and a tool is as near as its nearest.
 */
export const queryParts = (query: string): readonly string[] => {
  const parts = query
    .split(partSeparator)
    .map((part) => part.trim())
    .filter((part) => part.split(/\s+/, minPartWords).length === minPartWords);
  return parts.length < 2 ? [query] : [...new Set([query, ...parts.slice(0, maxQueryParts)])];
};
