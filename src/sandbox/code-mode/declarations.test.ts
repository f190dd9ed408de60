import { describe, expect, it } from "vitest";
import { registered } from "../../../test/kit/registered.ts";
import { tool } from "../../tool/tool.ts";
import type { JsonSchema } from "../../words/json.ts";
import { declarations } from "./declarations.ts";
import { functionNames } from "./function-names.ts";

const named = (name: string, input: JsonSchema = { type: "object", properties: {} }, more: object = {}) =>
  tool({ name, description: "does something", input, ...more, run: () => null });
