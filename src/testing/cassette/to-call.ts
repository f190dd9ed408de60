import { readJson } from "../../json/read-json.ts";
import { toText } from "../../json/to-text.ts";
import type { AuthorizedCall } from "../../words/call.ts";
import { hashWithout } from "./ignored.ts";
import type { CassetteCall, ReadOptions } from "./options.ts";
import { plainJson } from "./plain-json.ts";
import { tapeLimits } from "./tape.ts";

export const toCall = (call: AuthorizedCall, { steps }: ReadOptions): CassetteCall => {
  const given = argumentsOf(call);
  return {
    tool: call.registration.key,
    callId: call.request.raw.id,
    arguments: given,
    argumentsHash: hashWithout(given, steps),
  };
};

/** A schema may make something of the arguments that is no JSON; then they are taken as they came. */
const argumentsOf = ({ input, request }: AuthorizedCall): unknown => {
  const own = plainJson(input);
  if (own.ok) return own.value ?? null;
  const text = toText(request.raw.input);
  const reading = readJson(text, tapeLimits);
  return reading.ok ? reading.value : text;
};
