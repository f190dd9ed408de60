import { tool } from "../../../tools/tool.ts";
import type { AnyTool } from "../../../types/tool.ts";
import type { FileTruncator } from "./truncate-to-file.ts";

/** A caller can read only its own results and those of callers that it delegated to. */
export const createReadResultTool = (truncator: FileTruncator): AnyTool =>
  tool({
    name: "read_result",
    description:
      "Reads a part of a tool result that was too long to show. Take `handle` from `spilled.handle` of that result. Start at byte `offset` 0 and continue at `next` until there is no `next`. Text is in `text`, other data as base64 in `data`.",
    input: {
      type: "object",
      properties: {
        handle: { type: "string", description: "From `spilled.handle`." },
        offset: {
          type: "integer",
          minimum: 0,
          description: "First byte: 0, or `next` of the previous part.",
        },
        length: { type: "integer", minimum: 1, description: "Maximum number of bytes to read." },
      },
      required: ["handle"],
      additionalProperties: false,
    },
    category: "data",
    risk: "low",
    source: "builtin",
    // The content comes from an untrusted tool.
    tags: ["untrusted"],
    annotations: { readOnly: true, idempotent: true },
    run: (input, { principal }) => {
      const { handle, offset, length } = input as ReadResultInput;
      return truncator.read(handle, {
        principal,
        ...(offset === undefined ? {} : { offset }),
        ...(length === undefined ? {} : { length }),
      });
    },
  });

interface ReadResultInput {
  readonly handle: string;
  readonly offset?: number;
  readonly length?: number;
}
