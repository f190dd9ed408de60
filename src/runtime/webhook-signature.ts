import { createHmac, timingSafeEqual } from "node:crypto";

/** `t` is when it was sent, in seconds since 1970; the signature covers it, so that an old message cannot be sent again. */
export const signWebhook = (body: string, secret: string, t: number): string =>
  `t=${t},v1=${hmacOf(body, secret, t).toString("hex")}`;

/** Which clock `verifyWebhook` goes by, and how old a message may be. */
export interface VerifyOptions {
  /** In milliseconds since 1970. */
  readonly now?: number;
  /** How old, or how far ahead of this clock, a message may be. Five minutes unless named. */
  readonly toleranceMs?: number;
}

/**
 * Whether a message came from whoever has the secret, just as it is, and not long ago. `body` is what came over the
 * wire: text that was parsed and written again is another text.
 */
export const verifyWebhook = (
  body: string | Uint8Array,
  header: string | null | undefined,
  secret: string,
  { now = Date.now(), toleranceMs = 300_000 }: VerifyOptions = {},
): boolean => {
  const parts = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(header ?? "");
  if (parts === null || secret === "") return false;
  const t = Number(parts[1]);
  // Said this way round, a clock or a tolerance that is no number lets nothing through.
  const isRecent = Math.abs(now - t * 1000) <= toleranceMs;
  const isOurs = timingSafeEqual(hmacOf(body, secret, t), Buffer.from(parts[2]!, "hex"));
  return isOurs && isRecent;
};

const hmacOf = (body: string | Uint8Array, secret: string, t: number): Buffer =>
  createHmac("sha256", secret).update(`${t}.`).update(body).digest();
