import { createHmac, timingSafeEqual } from "node:crypto";

/** The signature covers the send time `t`, in seconds since 1970, so that old messages cannot be replayed. */
export const signWebhook = (body: string, secret: string, t: number): string =>
  `t=${t},v1=${hmacOf(body, secret, t).toString("hex")}`;

/** Options of `verifyWebhook`. */
export interface VerifyOptions {
  /** Current time in milliseconds since 1970. */
  readonly now?: number;
  /** Maximum age or clock skew of a message. Unless set: five minutes. */
  readonly toleranceMs?: number;
}

/** Whether a message has a valid signature and is recent. `body` must be the raw request body. */
export const verifyWebhook = (
  body: string | Uint8Array,
  header: string | null | undefined,
  secret: string,
  { now = Date.now(), toleranceMs = 300_000 }: VerifyOptions = {},
): boolean => {
  const parts = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(header ?? "");
  if (parts === null || secret === "") return false;
  const t = Number(parts[1]);
  // Written so that NaN fails the check.
  const isRecent = Math.abs(now - t * 1000) <= toleranceMs;
  const isOurs = timingSafeEqual(hmacOf(body, secret, t), Buffer.from(parts[2]!, "hex"));
  return isOurs && isRecent;
};

const hmacOf = (body: string | Uint8Array, secret: string, t: number): Buffer =>
  createHmac("sha256", secret).update(`${t}.`).update(body).digest();
