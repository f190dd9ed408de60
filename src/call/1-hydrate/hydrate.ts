import type { HydratedCall, Trip } from "../../words/call.ts";
import { failed, isOutcome, type Outcome } from "../../words/outcome.ts";
import type { Principal } from "../../words/principal.ts";
import type { House } from "../house.ts";
import { find, type Shown } from "./find.ts";
import { noteMended } from "./note.ts";
import { isRefused, readInput } from "./read-input.ts";

/** Who is it, may they see the tool, can the arguments be read, do they obey the spec: in this order. */
export const hydrate = (
  house: House,
  trip: Trip,
  principal: Principal | undefined,
  shown: Shown | undefined,
): HydratedCall | Outcome => {
  const { raw } = trip;
  if (typeof raw.id !== "string" || raw.id === "" || typeof raw.tool !== "string" || raw.tool === "") {
    return failed({
      code: "unreadable_call",
      message: "This is not a tool call: it needs an id and a tool name, both non-empty strings.",
    });
  }
  if (raw.providerExecuted === true) {
    return failed({
      code: "unreadable_call",
      tool: raw.tool,
      message: `The provider runs "${raw.tool}" itself; nobody else may.`,
    });
  }
  if (principal === undefined) {
    return failed({
      code: "not_visible",
      tool: raw.tool,
      message: `The tool "${raw.tool}" is not available to you.`,
      detail: "No principal: name one in Haft.open, with haft.as(), or in the fiber's CurrentPrincipal.",
    });
  }
  const registration = find(house, raw.tool, principal, shown);
  if (isOutcome(registration)) return registration;
  const read = readInput(house, registration.tool, raw, trip.repair);
  trip.provenance = trip.mended === undefined ? read.note : noteMended(read.note, trip.mended);
  if (isRefused(read)) return read.refusal;
  for (const violation of read.violations) trip.notes.push(`lenient input: ${violation.message}`);
  return {
    trip,
    principal,
    registration,
    spec: registration.tool.spec,
    input: read.input,
    validated: read.validated,
  };
};
