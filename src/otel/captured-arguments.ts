import * as Context from "effect/Context";
import { Credentials } from "../credentials/credentials.ts";
import { redactor } from "../json/redact.ts";

const longest = 8192;

/** The arguments as text, masked as the ledger masks them: by name, by shape, and by the secrets the runtime knows. */
export const capturedArguments = (input: unknown, services: Context.Context<never>): string | undefined => {
  const credentials = Context.getOrUndefined(services, Credentials);
  const mask = redactor(credentials === undefined ? {} : { secrets: credentials.known });
  const text = JSON.stringify(mask.value(input));
  return text !== undefined && text.length > longest ? `${text.slice(0, longest)}…` : text;
};
