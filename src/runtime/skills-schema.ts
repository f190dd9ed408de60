import type { CodeSettings } from "../skills/skill-settings.ts";
import type { JsonSchema } from "../words/json.ts";
import { count, flag, group, limit, list, words } from "./setting-forms.ts";

/** Named by hand, because the room of sandboxes is not loaded for a configuration. */
const sandboxLimits: Readonly<Record<keyof CodeSettings["limits"], JsonSchema>> = {
  wallMs: limit,
  cpuMs: limit,
  memoryBytes: limit,
  sourceBytes: limit,
  resultBytes: limit,
  logBytes: limit,
  calls: limit,
  callsAtOnce: limit,
  callBytes: limit,
  fileBytes: limit,
};

/** The settings under `skills`. What they mean stands in `SkillSettings`. */
export const skillsSchema = group({
  files: group({
    read: { type: "array", items: { type: "string", minLength: 1 } },
    write: words([]),
    maxBytes: count(262_144),
    hidden: flag(false),
  }),
  http: group({
    hosts: words([]),
    methods: list(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"], ["GET", "HEAD"]),
    headers: words(["accept", "accept-language", "content-type"]),
    maxBytes: count(524_288),
    timeoutMs: count(20_000),
  }),
  search: group({
    provider: { enum: ["tavily", "brave", "searxng"], default: "tavily" },
    url: { type: "string", minLength: 1 },
    credential: { type: "string", minLength: 1 },
    maxResults: { ...count(10), maximum: 20 },
  }),
  code: group({
    engines: list(["quickjs", "deno", "pyodide", "bubblewrap"], ["quickjs"]),
    limits: group(sandboxLimits),
  }),
  commands: {
    type: "object",
    additionalProperties: {
      type: "object",
      properties: { args: { type: "array", items: { type: "string", minLength: 1 } } },
      additionalProperties: false,
    },
    default: {},
  },
});
