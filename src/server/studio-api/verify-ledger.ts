import * as Effect from "effect/Effect";
import type { Verification } from "../words/durable-ledger.ts";
import { given } from "./calls/call-line.ts";
import { eventStream } from "./events.ts";
import { ApiRefusal } from "./refused.ts";
import type { Visit } from "./visit.ts";
import type { VerifyResult } from "./words/live.ts";

const everyMs = 200;

/** Follows the whole chain, and tells how far it has come. */
export const verify = async ({ world, request }: Visit): Promise<Response> => {
  const { durable, now, options } = world;
  if (durable === undefined) {
    throw new ApiRefusal(
      409,
      "no_chain",
      "A ledger in memory has no chain: open the runtime with sqlite:… or postgres://….",
    );
  }
  return eventStream([world.closed, request.signal], (tell, end) => {
    let told = 0;
    const onProgress = (progress: { readonly done: number; readonly total: number }): void => {
      if (now() - told < everyMs) return;
      told = now();
      tell({ name: "progress", data: progress });
    };
    const left = new AbortController();
    Effect.runPromise(durable.verify({ onProgress }), { signal: left.signal })
      .then((result) => tell({ name: "done", data: toResult(result) }))
      .catch((error: unknown) => {
        if (left.signal.aborted) return;
        options.onError(error, "verify");
        const message = error instanceof Error ? error.message : String(error);
        tell({ name: "failed", data: { error: { code: "failed", message } } });
      })
      .finally(end);
    // Nobody waits for it any more.
    return () => left.abort();
  });
};

const toResult = ({
  ok,
  rows,
  head,
  broken,
  unproved,
  unkeyed,
  keys,
  anchor,
}: Verification): VerifyResult => ({
  ok,
  rows,
  head: { seq: head.seq, hash: head.hash },
  ...given({ broken, unproved, unkeyed }),
  keys: keys.map(({ keyId, rows: signed, isHere }) => ({ keyId, rows: signed, isHere })),
  ...(anchor === undefined ? {} : { anchor: { number: anchor.number, at: anchor.at, hash: anchor.hash } }),
});
