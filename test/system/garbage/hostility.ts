import type { Era, Message } from "./honest.ts";

/** One misbehavior of a server. */
export interface Hostility {
  /** Runs before any message is received. */
  readonly start?: (era: Era) => void;
  /** Returns true when the message is handled and needs no correct reply. */
  readonly onMessage?: (message: Message, era: Era) => boolean;
  /** Keeps running after its input ended. */
  readonly stays?: boolean;
}

export const isHandshake = ({ method }: Message): boolean =>
  method === "server/discover" || method === "initialize";

/** Handles messages of one method. */
export const on =
  (method: string, deal: (message: Message, era: Era) => void): NonNullable<Hostility["onMessage"]> =>
  (message, era) => {
    if (message.method !== method) return false;
    deal(message, era);
    return true;
  };
