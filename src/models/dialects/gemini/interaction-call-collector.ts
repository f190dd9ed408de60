import { isObject } from "../../json/is-object.ts";
import { blocks } from "../calls/blocks.ts";
import type { Drafts } from "../calls/drafts.ts";
import { eventTable } from "../calls/event-table.ts";
import { type Fields, fieldsOf, placeOf } from "../calls/fields.ts";
import type { EventReader } from "../calls/wire-reader.ts";
import { isCut, toInteractionStep } from "./interaction-step.ts";

/** Before steps, a reply was a list of outputs, and its events were of contents. */
const listFor = ({ event_type: type }: Fields): string =>
  typeof type === "string" && type.startsWith("content.") ? "/outputs" : "/steps";

/** The events of the Interactions API: of steps, or of contents as they were called before. */
export const geminiInteractionEvents = (drafts: Drafts): EventReader => {
  const steps = blocks(drafts, "/steps");

  const readStart = (event: Fields): void => {
    const place = placeOf(event.index);
    const step = toInteractionStep(fieldsOf(event.step ?? event.content));
    if (step === undefined) {
      steps.pass(place);
      return;
    }
    // Arguments that are announced empty may still come as text.
    const { input } = step;
    steps.begin({ place, ...step, list: listFor(event), initial: isObject(input) ? input : undefined });
    if (!isObject(input)) steps.piece(place, input);
  };

  const readDelta = (event: Fields): void => {
    const place = placeOf(event.index);
    const delta = fieldsOf(event.delta);
    const step = toInteractionStep(delta);
    if (delta.type === "arguments_delta") steps.piece(place, delta.arguments ?? delta.partial_arguments);
    if (step === undefined) return;
    const draft = steps.at(place) ?? steps.begin({ place, ...step, list: listFor(event) });
    draft.id ??= step.id;
    draft.providerExecuted = step.providerExecuted;
    drafts.name(draft, step.tool);
    steps.piece(place, step.input);
  };

  const readStop = (event: Fields): void => steps.end(placeOf(event.index));
  const readFinish = (event: Fields): void => steps.finish(isCut(fieldsOf(event.interaction).status));

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
