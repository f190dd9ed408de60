import { fileURLToPath } from "node:url";
import type { Attack, Harm } from "./attack.ts";
import type { Canaries } from "./canaries.ts";
import type { Seen } from "./host/host-process.ts";
import { limits } from "./host/limits.ts";
import { isShipped, ownMegabytes } from "./host/shipped.ts";

/** A host may grow by what its engine takes, and by twice the limit: what a program has last asked for may be there too. */
const mostGrownBytes = (engine: string): number =>
  (isShipped(engine) ? ownMegabytes[engine] : openMegabytes) * 1024 * 1024 + 2 * limits.memoryBytes;
const openMegabytes = 192;
/** Three times what an engine allows: those of root are not counted by the system, only by a look now and then. */
const mostProcesses = 200;
/** The limit, the second barrier behind it, and as much again for a machine that is busy. */
const mostWallMs = 2 * (limits.wallMs + 500);
/** The limit may be passed by a word that says so. */
const mostLogBytes = 2 * limits.logBytes;

/** Ten times the limit: a look now and then sees what is written between two. */
const mostFileBytes = 100 * 1024 * 1024;

const ownFolder = fileURLToPath(new URL(".", import.meta.url));

export interface Judged {
  readonly mark: string;
  readonly attack: Attack;
  readonly engine: string;
  readonly seen: Seen;
  readonly wasSignaled: boolean;
}

/** Every harm that a run has done by now. Some is only seen later, so this may be asked again. */
export const harmsOf = (
  { mark, attack, engine, seen, wasSignaled }: Judged,
  canaries: Canaries,
): readonly Harm[] => {
  const { report } = seen;
  const text = report?.text ?? "";
  const found: Readonly<Record<Harm, boolean>> = {
    secret: canaries.secrets.some((secret) => text.includes(secret)),
    path: attack.harm === "path" && text.includes(ownFolder),
    write: canaries.wasWritten(mark),
    network: canaries.wasHeard(mark),
    signal: wasSignaled,
    "foreign call": report?.hasForeignCall ?? false,
    pollution: report?.isPolluted ?? false,
    death: seen.died !== undefined,
    hang: seen.hung || (report?.wallMs ?? 0) > mostWallMs,
    failure: report?.isFailure ?? false,
    memory: seen.grownBytes > mostGrownBytes(engine),
    calls: (report?.calls ?? 0) > limits.calls,
    "long call": (report?.longestCall ?? 0) > limits.callBytes,
    processes: seen.mostProcesses > mostProcesses,
    "shared memory": Math.max(seen.sharedBytes, heldBytes(text)) > 2 * limits.memoryBytes,
    files: seen.mostFileBytes > mostFileBytes,
    output: (report?.logBytes ?? 0) > mostLogBytes,
  };
  return (Object.keys(found) as Harm[]).filter((harm) => found[harm]);
};

/** What a program says that it holds where nobody sees it: it has read it back. */
const heldBytes = (text: string): number => Number(/"held":(\d+)/.exec(text)?.[1] ?? 0);
