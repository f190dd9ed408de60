import { ToolError } from "../../words/errors.ts";
import { isStdio, type NamedServer } from "../../words/mcp.ts";
import { shown } from "./flags/visible.ts";
import { isSameLaunch, launchOf, launchText } from "./launch.ts";
import { type Launch, type Lock, own } from "./locked.ts";
import { launchFindings } from "./pinning.ts";

export type StartRight =
  | { readonly ok: true; readonly findings?: readonly string[] }
  | {
      readonly ok: false;
      readonly reason: string;
      readonly was?: Launch | undefined;
      readonly now?: Launch;
    };

/**
 * Whether a server may be started or reached: only as it was reviewed. Where the lock is there but cannot be read,
 * its error takes its place, and nothing starts.
 */
export const mayStart = (lock: Lock | ToolError | undefined, server: NamedServer): StartRight => {
  const now = launchOf(server);
  const findings = "command" in now ? launchFindings(now) : [];
  if (lock === undefined) return { ok: true, findings };
  if (ToolError.is(lock)) return { ok: false, reason: shown(lock.message, 300), was: undefined, now };
  const was = own(lock.servers, server.id)?.launch;
  if (was !== undefined && isSameLaunch(was, now)) return { ok: true, findings };
  const does = isStdio(server) ? "started" : "reached";
  const [then, today] = showDifference(was === undefined ? undefined : launchText(was), launchText(now));
  const reviewed = then === undefined ? "it was never reviewed" : `it was reviewed as ${then}`;
  const reason = `The server ${shown(server.id)} is not ${does}: ${reviewed}, and now is ${today}. Review it with haft lock.`;
  return { ok: false, reason, was, now };
};

const longest = 200;
/** Of what both begin with, so much is shown before the place where they part. */
const shared = 40;

/** Long texts are shown from shortly before the place where they differ: cut at their ends, they would look the same. */
const showDifference = (was: string | undefined, now: string): readonly [string | undefined, string] => {
  if (was === undefined) return [undefined, shown(now, longest)];
  let same = 0;
  while (same < was.length && was[same] === now[same]) same += 1;
  const isCut = Math.max(was.length, now.length) > longest && same > shared;
  const from = isCut ? same - shared : 0;
  const tail = (text: string): string => `${isCut ? "…" : ""}${shown(text.slice(from), longest)}`;
  return [tail(was), tail(now)];
};
