import type { InboundToken } from "../../../base/credentials/token.ts";
import { setBearerToken } from "../../../tools/http/send-tool-request.ts";
import type { Principal } from "../../../types/principal.ts";
import type { McpEndpoint } from "../host-options.ts";
import { readBearer } from "./bearer.ts";
import type { Authenticator } from "./host-auth.ts";

declare const endpoint: McpEndpoint;
declare const authenticator: Authenticator;
declare const request: Request;
declare const principal: Principal;

// A bearer token identifies a caller.
const shown = readBearer("Bearer a");
if (shown !== undefined && shown !== "malformed") {
  const token: InboundToken = shown;
  authenticator.identify(token);
  endpoint.fetch(request, { principal });

  // It cannot be passed on.
  // @ts-expect-error not next to the principal
  endpoint.fetch(request, { principal, token });
  // @ts-expect-error not instead of the principal
  endpoint.fetch(request, { principal: token });
  // @ts-expect-error not as part of the principal
  endpoint.fetch(request, { principal: { agent: "a", user: token } });
  // @ts-expect-error not as a request
  endpoint.fetch(token, { principal });
  // @ts-expect-error not in a header
  new Headers({ authorization: token });
  // @ts-expect-error not as a token of ours
  setBearerToken(new Headers(), token);
}
