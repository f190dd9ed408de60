import { fileURLToPath } from "node:url";
import type { Attack, Harm } from "./attack.ts";
import type { Canaries } from "./canaries.ts";
import type { Seen } from "./host/host-process.ts";
import { limits } from "./host/limits.ts";
import { isShipped, ownMegabytes } from "./host/shipped.ts";

/**
 * A host may grow by the memory of its engine and twice the limit, because the last allocation may be counted
 * too.
 */
const mostGrownBytes = (engine: string): number =>
  (isShipped(engine) ? ownMegabytes[engine] : openMegabytes) * 1024 * 1024 + 2 * limits.memoryBytes;
const openMegabytes = 192;
/** Three times what an engine allows: processes of root are not limited by the system, only sampled. */
const mostProcesses = 200;
/** The limit, the second barrier behind it, and the same again for a busy machine. */
const mostWallMs = 2 * (limits.wallMs + 500);
/** Logs may exceed the limit by a note about the cut. */
const mostLogBytes = 2 * limits.logBytes;

/** Ten times the limit, because files are sampled and written between two samples. */
const mostFileBytes = 100 * 1024 * 1024;

const ownFolder = fileURLToPath(new URL(".", import.meta.url));

export interface Judged {
  readonly mark: string;
  readonly attack: Attack;
  readonly engine: string;
  readonly seen: Seen;
  readonly wasSignaled: boolean;
}

/** All harm that a run has done so far. Some harm is only visible later, so this may be called again. */
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

/** Bytes that a program reports to hold in hidden places, after it read them back. */
const heldBytes = (text: string): number => Number(/"held":(\d+)/.exec(text)?.[1] ?? 0);
