import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import { setBearerToken } from "../../tools/http/send-tool-request.ts";
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
// @ts-expect-error an inbound token is not an outbound token
setBearerToken(headers, inbound);
// @ts-expect-error an inbound token cannot be renewed
store.renew("calendar", inbound);
// @ts-expect-error an inbound token is not a secret value
credentials({ values: { api: inbound } });
// @ts-expect-error a lookup cannot return an inbound token
credentials(() => inbound);
// @ts-expect-error an inbound token cannot be stored
memoryTokenStore().set("key", { accessToken: inbound, issuedAt: 0 });
// @ts-expect-error an inbound token is not a redacted string
export const text: string = Redacted.value(inbound);
// @ts-expect-error a redacted string is not an outbound token
export const made: OutboundToken = Redacted.make("text");
