import { chatRun, sessionRun } from "../../words/run-book.ts";
import { Misuse } from "../misuse.ts";
import { plain } from "../screen.ts";

const counted = /^[a-z]+-([0-9a-f]{6})[0-9a-f]*-([0-9a-z]+)$/;
const random = /^([0-9a-f]{8})-[0-9a-f-]{27}$/;
const ofSession = new RegExp(`^((?:${sessionRun}|${chatRun})[0-9a-f]{8})[0-9a-f]{24}$`);

/** As a table shows an id. All ids of one process begin alike, so of those the beginning alone says nothing. */
export const shortId = (id: string): string => {
  const [, process, count] = counted.exec(id) ?? [];
  if (process !== undefined) return `${process}-${count}`;
  return (random.exec(id) ?? ofSession.exec(id))?.[1] ?? plain(id);
};

/** Fewer characters are a slip more often than an id. */
const fewest = 4;

/** Those that a typed id may mean: exactly, as a table shows it, or by its beginning. */
export const findById = <Item>(
  typed: string,
  items: readonly Item[],
  idOf: (item: Item) => string,
): readonly Item[] => {
  const exact = items.filter((item) => idOf(item) === typed);
  if (exact.length > 0) return exact;
  const short = items.filter((item) => shortId(idOf(item)) === typed);
  if (short.length > 0 || typed.length < fewest) return short;
  return items.filter((item) => {
    const id = idOf(item);
    return id.startsWith(typed) || id.slice(id.indexOf("-") + 1).startsWith(typed);
  });
};

/** Why nothing was found by what was typed, if that is why. */
export const tooShort = (typed: string): string =>
  typed.length < fewest ? ` The beginning of an id is taken from ${fewest} characters on.` : "";

/** Which of several is meant is not guessed. */
export const refuseAmbiguous = (typed: string, what: string, ids: readonly string[]): never => {
  const shown = ids.slice(0, 10).map(plain).join(", ");
  const more = ids.length > 10 ? ` and ${ids.length - 10} more` : "";
  throw new Misuse(`"${plain(typed)}" could be ${ids.length} ${what}: ${shown}${more}. Type more of it.`);
};
