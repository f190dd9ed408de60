import { shown } from "../../base/text/visible.ts";
import { ToolError } from "../../types/errors.ts";
import { isStdioServer, type NamedMcpServer } from "../../types/mcp.ts";
import { isSameLaunch, launchOf, launchText } from "./launch.ts";
import { findLaunchProblems } from "./launch-findings.ts";
import { type Launch, type Lock, ownValue } from "./lock.ts";

export type StartDecision =
  | { readonly ok: true; readonly findings?: readonly string[] }
  | {
      readonly ok: false;
      readonly reason: string;
      readonly was?: Launch | undefined;
      readonly now?: Launch;
    };

/** If the lockfile cannot be read, `lock` is the error and no server starts. */
export const checkStart = (lock: Lock | ToolError | undefined, server: NamedMcpServer): StartDecision => {
  const now = launchOf(server);
  const findings = "command" in now ? findLaunchProblems(now) : [];
  if (lock === undefined) return { ok: true, findings };
  if (ToolError.is(lock)) return { ok: false, reason: shown(lock.message, 300), was: undefined, now };
  const was = ownValue(lock.servers, server.id)?.launch;
  if (was !== undefined && isSameLaunch(was, now)) return { ok: true, findings };
  const does = isStdioServer(server) ? "started" : "reached";
  const [then, today] = excerptsOfDifference(
    was === undefined ? undefined : launchText(was),
    launchText(now),
  );
  const reviewed = then === undefined ? "it was never reviewed" : `it was reviewed as ${then}`;
  const reason = `The server ${shown(server.id)} is not ${does}: ${reviewed}, and now is ${today}. Review it with haft lock.`;
  return { ok: false, reason, was, now };
};

const maxShownLength = 200;
const shownPrefixLength = 40;

/** Cut at the end, long texts could look equal. */
const excerptsOfDifference = (
  was: string | undefined,
  now: string,
): readonly [string | undefined, string] => {
  if (was === undefined) return [undefined, shown(now, maxShownLength)];
  let same = 0;
  while (same < was.length && was[same] === now[same]) same += 1;
  const isCut = Math.max(was.length, now.length) > maxShownLength && same > shownPrefixLength;
  const from = isCut ? same - shownPrefixLength : 0;
  const tail = (text: string): string => `${isCut ? "…" : ""}${shown(text.slice(from), maxShownLength)}`;
  return [tail(was), tail(now)];
};
