import type { Principal } from "../../../types/principal.ts";
import type { HttpEgressClient } from "../../http/http-egress.ts";
import type { OAuthCredential } from "./oauth-credential.ts";

export interface CredentialUse {
  readonly key: string;
  readonly name: string;
  readonly credential: OAuthCredential;
  readonly principal: Principal;
  readonly client: HttpEgressClient;
}
