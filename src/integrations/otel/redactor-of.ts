import * as Context from "effect/Context";
import { Credentials } from "../../base/credentials/credentials.ts";
import { type Redactor, redactor } from "../../base/json/redact.ts";

export const redactorOf = (services: Context.Context<never>): Redactor => {
  const credentials = Context.getOrUndefined(services, Credentials);
  return redactor(credentials === undefined ? {} : { secrets: credentials.known });
};
