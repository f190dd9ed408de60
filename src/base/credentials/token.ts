import * as Redacted from "effect/Redacted";

declare const direction: unique symbol;

/** A token that was given to us, for one caller at one service. Only the credential store makes one. */
export type OutboundToken = Redacted.Redacted<string> & { readonly [direction]: "outbound" };

/** What a caller showed at our door: an object, so that it fits nowhere a secret to send would. */
export interface InboundTokenText {
  readonly text: string;
}

/** Good for finding out who is calling, and for nothing else: passing it on does not compile. */
export type InboundToken = Redacted.Redacted<InboundTokenText>;

/** Wraps a token that a client sent, so that it is masked wherever it is printed. */
export const inboundToken = (text: string): InboundToken =>
  Redacted.make(Object.freeze({ text }), { label: "inbound token" });

export const outboundToken = (text: string, credential: string): OutboundToken =>
  Redacted.make(text, { label: credential }) as OutboundToken;
