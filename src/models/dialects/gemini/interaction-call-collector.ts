import { isObject } from "../../../base/json/is-object.ts";
import { blockTracker } from "../calls/block-tracker.ts";
import type { CallDrafts } from "../calls/call-drafts.ts";
import { eventTable } from "../calls/event-table.ts";
import { type ForeignFields, foreignFieldsOf, toIndex } from "../calls/read-untyped-fields.ts";
import type { EventReader } from "../calls/wire-reader.ts";
import { isInteractionTruncation, toInteractionStep } from "./interaction-step.ts";

/** Older API versions have outputs instead of steps. */
const listFor = ({ event_type: type }: ForeignFields): string =>
  typeof type === "string" && type.startsWith("content.") ? "/outputs" : "/steps";

export const geminiInteractionEvents = (drafts: CallDrafts): EventReader => {
  const steps = blockTracker(drafts, "/steps");

  const readStart = (event: ForeignFields): void => {
    const place = toIndex(event.index);
    const step = toInteractionStep(foreignFieldsOf(event.step ?? event.content));
    if (step === undefined) {
      steps.pass(place);
      return;
    }
    // Text may follow empty arguments.
    const { input } = step;
    steps.begin({ place, ...step, list: listFor(event), initial: isObject(input) ? input : undefined });
    if (!isObject(input)) steps.piece(place, input);
  };

  const readDelta = (event: ForeignFields): void => {
    const place = toIndex(event.index);
    const delta = foreignFieldsOf(event.delta);
    const step = toInteractionStep(delta);
    if (delta.type === "arguments_delta") steps.piece(place, delta.arguments ?? delta.partial_arguments);
    if (step === undefined) return;
    const draft = steps.at(place) ?? steps.begin({ place, ...step, list: listFor(event) });
    draft.id ??= step.id;
    draft.providerExecuted = step.providerExecuted;
    drafts.name(draft, step.tool);
    steps.piece(place, step.input);
  };

  const readStop = (event: ForeignFields): void => steps.end(toIndex(event.index));
  const readFinish = (event: ForeignFields): void =>
    steps.finish(isInteractionTruncation(foreignFieldsOf(event.interaction).status));

  return eventTable("event_type", {
    "interaction.created": steps.restart,
    "step.start": readStart,
    "step.delta": readDelta,
    "step.stop": readStop,
    "interaction.completed": readFinish,
    "interaction.start": steps.restart,
    "content.start": readStart,
    "content.delta": readDelta,
    "content.stop": readStop,
    "interaction.complete": readFinish,
  });
};
