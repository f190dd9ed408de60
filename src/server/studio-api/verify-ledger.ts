import { basename } from "node:path";
import * as Effect from "effect/Effect";
import type { Verification } from "../../types/durable-ledger.ts";
import { HttpError } from "../request/http-error.ts";
import type { ApiContext } from "./api-context.ts";
import { apiEventStream } from "./live/live-stream.ts";
import { definedFields } from "./read-query.ts";
import type { VerifyResult } from "./schemas/live.ts";

const progressIntervalMs = 200;

export const verifyLedger = async (context: ApiContext): Promise<Response> => {
  const { durable, now, options } = context.studio;
  if (durable === undefined) {
    throw new HttpError(
      409,
      "no_chain",
      "A memory ledger has no hash chain. Open the runtime with a ledger such as sqlite:./haft.db or postgres://….",
    );
  }
  return apiEventStream(context, (send, end) => {
    let lastSentAt = 0;
    const onProgress = (progress: { readonly done: number; readonly total: number }): void => {
      if (now() - lastSentAt < progressIntervalMs) return;
      lastSentAt = now();
      send({ name: "progress", data: progress });
    };
    const cancelled = new AbortController();
    Effect.runPromise(durable.verify({ onProgress }), { signal: cancelled.signal })
      .then((result) => send({ name: "done", data: toVerifyResult(result) }))
      .catch((error: unknown) => {
        if (cancelled.signal.aborted) return;
        options.onError(error, "verify");
        const message = error instanceof Error ? error.message : String(error);
        send({ name: "failed", data: { error: { code: "failed", message } } });
      })
      .finally(end);
    return () => cancelled.abort();
  });
};

const toVerifyResult = ({
  ok,
  rows,
  head,
  broken,
  unproved,
  unkeyed,
  keys,
  anchor,
  keyFile,
}: Verification): VerifyResult => ({
  ok,
  rows,
  head: { seq: head.seq, hash: head.hash },
  ...definedFields({ broken, unproved, unkeyed, keyFile: keyFile && basename(keyFile) }),
  keys: keys.map(({ keyId, rows: signed, isHere }) => ({ keyId, rows: signed, isHere })),
  ...(anchor === undefined ? {} : { anchor: { number: anchor.number, at: anchor.at, hash: anchor.hash } }),
});
