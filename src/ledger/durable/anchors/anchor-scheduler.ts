import { appendFile } from "node:fs/promises";
import type { LedgerAnchor } from "../../../types/durable-ledger.ts";
import type { DurableStore } from "../durable-store.ts";
import { writeAnchor } from "./write-anchor.ts";

/** How often the ends of chains are anchored, and where each anchor is told besides. */
export interface AnchorOptions {
  /** 0 leaves it to others. */
  readonly everyMs: number;
  /** A file that each anchor is appended to, as a line of JSON. */
  readonly file?: string | undefined;
  /** An address that each anchor is posted to, as JSON. */
  readonly url?: string | undefined;
  /** Hears of an anchor that could not be told. It is in the ledger all the same, and the next one covers it. */
  readonly onError?: ((error: Error) => void) | undefined;
}

export const defaultAnchorOptions: AnchorOptions = { everyMs: 5_000 };

export interface AnchorScheduler {
  /** Anchors what was written since the last time, and stops. */
  readonly end: () => Promise<void>;
}

const postTimeoutMs = 10_000;

/** Any process may write the next anchor; a little apart from each other, so that it is mostly one of them. */
export const startAnchorScheduler = (
  store: Pick<DurableStore, "database" | "chainKeys" | "now">,
  place: string,
  options: AnchorOptions,
): AnchorScheduler => {
  const { everyMs, file, url, onError } = options;
  let running: Promise<void> | undefined;
  let hasAnchored = false;
  const publish = async (anchor: LedgerAnchor): Promise<void> => {
    const line = JSON.stringify({ ...anchor, place });
    if (file !== undefined) await appendFile(file, `${line}\n`);
    if (url !== undefined) await postAnchor(url, line);
  };
  const anchor = async (leastMs: number): Promise<void> => {
    try {
      const written = await writeAnchor(store, leastMs);
      if (written === undefined) return;
      hasAnchored = true;
      await publish(written);
    } catch (error) {
      onError?.(error as Error);
    }
  };
  const tick = (): void => {
    running ??= anchor(everyMs * 0.8).finally(() => {
      running = undefined;
    });
  };
  const timer = everyMs === 0 ? undefined : setInterval(tick, everyMs * (0.9 + Math.random() * 0.2)).unref();
  return {
    end: async () => {
      clearInterval(timer);
      await running;
      // A command that is over at once leaves it to those who stay.
      if (hasAnchored) await anchor(0);
    },
  };
};

const postAnchor = async (url: string, body: string): Promise<void> => {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
    redirect: "error",
    signal: AbortSignal.timeout(postTimeoutMs),
  });
  if (!response.ok)
    throw new Error(`The anchor could not be told to ${new URL(url).host}: ${response.status}.`);
};
