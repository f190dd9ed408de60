import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import { setBearerToken } from "../../tools/http/authorize-request.ts";
import { type CredentialStore, credentials } from "./credentials.ts";
import { memoryTokenStore } from "./oauth/token-store.ts";
import { type InboundToken, inboundToken, type OutboundToken } from "./token.ts";

declare const store: CredentialStore;
const inbound: InboundToken = inboundToken("what a caller showed");
const headers = new Headers();

// Outbound tokens can be sent and renewed.
Effect.map(store.token("calendar"), (token) => setBearerToken(headers, token));
Effect.flatMap(store.token("calendar"), (token) => store.renew("calendar", token));

// Inbound tokens of callers cannot be forwarded in any way.
// @ts-expect-error an inbound token is no outbound one
setBearerToken(headers, inbound);
// @ts-expect-error nor is it renewed as one
store.renew("calendar", inbound);
// @ts-expect-error nor is it a secret
credentials({ values: { api: inbound } });
// @ts-expect-error nor what a vault answers
credentials(() => inbound);
// @ts-expect-error nor kept among the tokens that were given to us
memoryTokenStore().set("key", { accessToken: inbound, issuedAt: 0 });
// @ts-expect-error nor a redacted text like any other
export const text: string = Redacted.value(inbound);
// @ts-expect-error and no secret of our own passes for a token of a caller
export const made: OutboundToken = Redacted.make("text");
