import { appendFile } from "node:fs/promises";
import type { LedgerAnchor } from "../../../types/durable-ledger.ts";
import type { DurableStore } from "../durable-store.ts";
import { writeAnchor } from "./write-anchor.ts";

export interface AnchorOptions {
  /** Milliseconds. 0 writes no anchors in this process. */
  readonly everyMs: number;
  readonly file?: string | undefined;
  readonly url?: string | undefined;
  /** Called if an anchor is not written or published; the next one covers the same rows. */
  readonly onError?: ((error: Error) => void) | undefined;
}

export const defaultAnchorOptions: AnchorOptions = { everyMs: 5_000 };

export interface AnchorScheduler {
  readonly end: () => Promise<void>;
}

const postTimeoutMs = 10_000;

/** Jitter keeps processes apart, so that usually one of them writes the next anchor. */
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
    throw new Error(`The anchor could not be sent to ${new URL(url).host}: ${response.status}.`);
};
