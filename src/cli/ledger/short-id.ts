import { callerIdentityOf, type Principal } from "../../types/principal.ts";
import { runKindOf, toRunId } from "../../types/run-store.ts";
import { CommandUsageError } from "../command.ts";
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

const unitMs: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

const parseDuration = (text: string): number | undefined => {
  const [, count, unit] = /^(\d+(?:\.\d+)?)\s*([smhdw])$/.exec(text.trim()) ?? [];
  return unit === undefined ? undefined : Number(count) * unitMs[unit]!;
};

export const readMoment = (name: string, text: string, now: number): number => {
  const span = parseDuration(text);
  if (span !== undefined) return now - span;
  const date = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isFinite(date)) return date;
  throw new CommandUsageError(
    `--${name} must be a time such as 2h, 3d, 2026-11-16 or 2026-11-16T09:00:00Z, not "${text}".`,
  );
};

export const formatTime = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`;

export const formatTimeOfDay = (at: number): string => formatTime(at).slice(11);

export const formatElapsed = (milliseconds: number): string => {
  const seconds = Math.max(0, Math.round(milliseconds / 1_000));
  if (seconds < 90) return `${seconds} s`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 129_600) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
};

export const formatMilliseconds = (milliseconds: number): string =>
  milliseconds.toFixed(milliseconds < 100 ? 1 : 0);

interface RunIdentity {
  readonly runId: string;
  readonly principal: Principal | undefined;
}

export const sessionLabel = ({ runId, principal }: RunIdentity): string | undefined => {
  const kind = runKindOf(runId);
  if (kind !== "chat" && kind !== "session") return undefined;
  const id = principal === undefined ? undefined : callerIdentityOf(principal).session;
  return `${kind} "${plainText(id ?? runId)}"`;
};

export const isRunOfSession = ({ principal }: RunIdentity, session: string): boolean =>
  principal !== undefined && callerIdentityOf(principal).session === session;
