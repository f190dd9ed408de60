import type { OutsideClient } from "../../http/outside.ts";
import type { Principal } from "../../words/principal.ts";
import type { OAuthCredential } from "./oauth-credential.ts";

/** One caller's use of one credential. */
export interface CredentialUse {
  readonly key: string;
  readonly name: string;
  readonly credential: OAuthCredential;
  readonly principal: Principal;
  readonly client: OutsideClient;
}
