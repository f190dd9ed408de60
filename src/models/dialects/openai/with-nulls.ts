import type { RawCall } from "../../../types/call.ts";
import type { OfferedTool } from "../offered-tool.ts";
import { strictNulls } from "./strict-nulls.ts";

/** Marks where null in a strict call means an omitted value. */
export const withNulls = (calls: readonly RawCall[], tools: readonly OfferedTool[]): readonly RawCall[] =>
  calls.map((call) => {
    const spec = tools.find(({ wireName }) => wireName === call.tool)?.spec;
    const nulls = spec === undefined || call.providerExecuted === true ? [] : strictNulls(spec);
    return nulls.length === 0 ? call : { ...call, nulls };
  });
