import { readJson } from "../../base/json/read-json.ts";
import { stringifyValue } from "../../base/json/stringify-value.ts";
import type { AuthorizedCall } from "../../types/call.ts";
import { cassetteJsonLimits } from "./cassette-file.ts";
import type { CassetteCall, ParsedCassetteOptions } from "./cassette-options.ts";
import { hashWithoutIgnored } from "./ignored-arguments.ts";
import { toCassetteJson } from "./to-cassette-json.ts";

export const toCassetteCall = (call: AuthorizedCall, { steps }: ParsedCassetteOptions): CassetteCall => {
  const given = argumentsAsJson(call);
  return {
    tool: call.registration.key,
    callId: call.request.raw.id,
    arguments: given,
    argumentsHash: hashWithoutIgnored(given, steps),
  };
};

/** A schema may convert the arguments to something that is not JSON. */
const argumentsAsJson = ({ input, request }: AuthorizedCall): unknown => {
  const own = toCassetteJson(input);
  if (own.ok) return own.value ?? null;
  const text = stringifyValue(request.raw.input);
  const reading = readJson(text, cassetteJsonLimits);
  return reading.ok ? reading.value : text;
};
