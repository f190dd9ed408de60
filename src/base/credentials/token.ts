import * as Redacted from "effect/Redacted";

declare const direction: unique symbol;

/** A token for one caller at one service. Only the credential store creates it. */
export type OutboundToken = Redacted.Redacted<string> & { readonly [direction]: "outbound" };

/** An object, so that it cannot be passed where an outgoing secret is expected. */
export interface InboundTokenText {
  readonly text: string;
}

/** Identifies the caller. Passing it on to another service does not compile. */
export type InboundToken = Redacted.Redacted<InboundTokenText>;

/** Wraps a token that a client sent, so that it prints masked. */
export const inboundToken = (text: string): InboundToken =>
  Redacted.make(Object.freeze({ text }), { label: "inbound token" });

export const outboundToken = (text: string, credential: string): OutboundToken =>
  Redacted.make(text, { label: credential }) as OutboundToken;
