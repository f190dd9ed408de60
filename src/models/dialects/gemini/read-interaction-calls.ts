import { isObject } from "../../../base/json/json-value.ts";
import { blockTracker, type CallDraft, type CallDrafts, endDraft } from "../calls/call-drafts.ts";
import {
  type EventReader,
  eventTable,
  type ForeignFields,
  foreignFieldsOf,
  foreignListOf,
  foreignTextOf,
  toIndex,
} from "../calls/wire-reader.ts";

/** Older API versions have outputs instead of steps. */
export const readGeminiInteraction = (drafts: CallDrafts, body: ForeignFields): void => {
  let last: CallDraft | undefined;
  const list = body.steps === undefined || body.steps === null ? "outputs" : "steps";
  for (const [place, entry] of foreignListOf(body[list]).entries()) {
    const step = toInteractionStep(foreignFieldsOf(entry));
    last = step && drafts.add({ ...step, part: `/${list}/${place}`, isSentWhole: true });
  }
  if (last !== undefined && isInteractionTruncation(body.status)) endDraft(last, true);
};

interface InteractionStep {
  readonly id: string | undefined;
  readonly tool: string | undefined;
  readonly input: unknown;
  readonly providerExecuted: boolean;
}

export const toInteractionStep = (step: ForeignFields): InteractionStep | undefined => {
  const providerExecuted = step.type === "mcp_server_tool_call";
  if (step.type !== "function_call" && !providerExecuted) return undefined;
  return {
    id: foreignTextOf(step.id),
    tool: foreignTextOf(step.name),
    input: step.arguments,
    providerExecuted,
  };
};

const truncationStates: ReadonlySet<unknown> = new Set([
  "incomplete",
  "failed",
  "cancelled",
  "budget_exceeded",
]);

export const isInteractionTruncation = (status: unknown): boolean => truncationStates.has(status);

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
