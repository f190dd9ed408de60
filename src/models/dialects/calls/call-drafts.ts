import type { RawCall } from "../../../types/call.ts";
import { addPiece, type CallDraft, endDraft, toRawCall } from "./call-draft.ts";

export interface CompleteCall {
  readonly id: string | undefined;
  readonly tool: string | undefined;
  readonly input: unknown;
  readonly part: string;
  readonly providerExecuted?: boolean;
  readonly isSentWhole?: boolean;
}

export interface CallDrafts {
  /** Without `order`, the call follows all earlier ones. */
  readonly begin: (order?: number) => CallDraft;
  /** Names may arrive in parts or repeatedly. */
  readonly name: (draft: CallDraft, part: string | undefined) => void;
  readonly add: (whole: CompleteCall) => CallDraft | undefined;
  /** Calls named since the last invocation. */
  readonly takeStarted: () => readonly RawCall[];
  readonly calls: () => readonly RawCall[];
}

const noCalls: readonly RawCall[] = Object.freeze([]);

export const callDrafts = (): CallDrafts => {
  const all: CallDraft[] = [];
  let fresh: CallDraft[] = [];
  let named = 0;

  const begin = (order = all.length): CallDraft => {
    const draft: CallDraft = {
      id: undefined,
      tool: "",
      ordinal: -1,
      order,
      part: undefined,
      providerExecuted: false,
      isSentWhole: false,
      pieces: [],
      whole: undefined,
      initial: undefined,
      build: undefined,
      state: "open",
    };
    all.push(draft);
    return draft;
  };

  const name = (draft: CallDraft, part: string | undefined): void => {
    if (part === undefined || part === draft.tool) return;
    if (draft.tool === "") {
      draft.ordinal = named++;
      fresh.push(draft);
    }
    draft.tool += part;
  };

  return {
    begin,
    name,
    add: ({ id, tool, input, part, providerExecuted = false, isSentWhole = false }) => {
      if (tool === undefined) return undefined;
      const draft = begin();
      draft.id = id;
      draft.part = part;
      draft.providerExecuted = providerExecuted;
      draft.isSentWhole = isSentWhole;
      name(draft, tool);
      if (input === null) draft.whole = { value: null };
      else addPiece(draft, input);
      endDraft(draft);
      return draft;
    },
    takeStarted: () => {
      if (fresh.length === 0) return noCalls;
      const newCalls = fresh.map((draft) =>
        Object.freeze({
          id: draft.id ?? `call-${draft.ordinal}`,
          tool: draft.tool,
          input: "",
          index: draft.ordinal,
          ...(draft.providerExecuted ? { providerExecuted: true } : {}),
          finish: "incomplete" as const,
        }),
      );
      fresh = [];
      return Object.freeze(newCalls);
    },
    calls: () => {
      const found = all.filter((draft) => draft.tool !== "");
      found.sort((left, right) => left.order - right.order);
      return Object.freeze(found.map(toRawCall));
    },
  };
};
