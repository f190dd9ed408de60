import type { Era, Message } from "./honest.ts";

/** One way to be a bad server. */
export interface Hostility {
  /** Before anything was heard. */
  readonly start?: (era: Era) => void;
  /** True where the message is dealt with, and the honest answer is not given. */
  readonly hear?: (message: Message, era: Era) => boolean;
  /** Stays when its input ends, as a decent server does not. */
  readonly stays?: boolean;
}

export const isHandshake = ({ method }: Message): boolean =>
  method === "server/discover" || method === "initialize";

/** Deals with messages of one method, in its own way. */
export const on =
  (method: string, deal: (message: Message, era: Era) => void): NonNullable<Hostility["hear"]> =>
  (message, era) => {
    if (message.method !== method) return false;
    deal(message, era);
    return true;
  };
