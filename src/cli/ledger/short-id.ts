import { toRunId } from "../../types/run-kinds.ts";
import { CommandUsageError } from "../command-usage-error.ts";
import { plainText } from "../screen.ts";

const countedIdPattern = /^[a-z]+-([0-9a-f]{6})[0-9a-f]*-([0-9a-z]+)$/;
const randomIdPattern = /^([0-9a-f]{8})-[0-9a-f-]{27}$/;
const sessionIdPattern = new RegExp(
  `^((?:${toRunId("session", "")}|${toRunId("chat", "")})[0-9a-f]{8})[0-9a-f]{24}$`,
);

/** Ids of one process share their prefix, so the counter is kept. */
export const shortId = (id: string): string => {
  const [, process, count] = countedIdPattern.exec(id) ?? [];
  if (process !== undefined) return `${process}-${count}`;
  return (randomIdPattern.exec(id) ?? sessionIdPattern.exec(id))?.[1] ?? plainText(id);
};

const minIdPrefixLength = 4;

export const findById = <Item>(
  idOrPrefix: string,
  items: readonly Item[],
  idOf: (item: Item) => string,
): readonly Item[] => {
  const exact = items.filter((item) => idOf(item) === idOrPrefix);
  if (exact.length > 0) return exact;
  const short = items.filter((item) => shortId(idOf(item)) === idOrPrefix);
  if (short.length > 0 || idOrPrefix.length < minIdPrefixLength) return short;
  return items.filter((item) => {
    const id = idOf(item);
    return id.startsWith(idOrPrefix) || id.slice(id.indexOf("-") + 1).startsWith(idOrPrefix);
  });
};

export const shortIdHint = (typed: string): string =>
  typed.length < minIdPrefixLength ? ` A partial id needs at least ${minIdPrefixLength} characters.` : "";

export const throwAmbiguousId = (typed: string, what: string, ids: readonly string[]): never => {
  const shown = ids.slice(0, 10).map(plainText).join(", ");
  const more = ids.length > 10 ? ` and ${ids.length - 10} more` : "";
  throw new CommandUsageError(
    `"${plainText(typed)}" matches ${ids.length} ${what}: ${shown}${more}. Type more characters.`,
  );
};
