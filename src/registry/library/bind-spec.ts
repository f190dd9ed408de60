import { canonicalJson } from "../../json/canonical-json.ts";
import { compileSchema } from "../../schema/compile-schema.ts";
import { withoutDefaults } from "../../schema/without-defaults.ts";
import { assemble } from "../../tool/assemble.ts";
import type { ToolSpec } from "../../words/spec.ts";
import type { AnyTool, Implementation } from "../../words/tool.ts";
import type { Validator } from "../../words/validator.ts";
import { isTool, type LibraryCode } from "./entry.ts";
import { guarded, warnings } from "./guards.ts";

/** The spec as its agent knows it, answered by other code, under the stricter of both sides' guards. */
export const bindSpec = (spec: ToolSpec, code: LibraryCode): AnyTool => {
  const promised = spec.output === undefined ? undefined : compileSchema(withoutDefaults(spec.output));
  if (!isTool(code)) {
    return assemble({
      spec: asBare(spec, code),
      implementation: code,
      input: compileSchema(spec.input),
      output: promised,
      layers: [],
    });
  }
  const isSame = canonicalJson(spec.input) === canonicalJson(code.spec.input);
  return assemble({
    spec: guarded(spec, code.spec),
    implementation: code.implementation,
    input: isSame ? code.input : inTurn(compileSchema(spec.input), code.input),
    output:
      code.output === undefined || promised === undefined
        ? (code.output ?? promised)
        : inTurn(code.output, promised),
    layers: code.layers,
  });
};

/** Of bare code nobody says anything but the spec, which can warn of it and not vouch for it. */
const asBare = (spec: ToolSpec, { _tag, kinds = [] }: Implementation<unknown>): ToolSpec => {
  const source = [_tag, ...kinds].find((kind) => kind === "http" || kind === "mcp") ?? spec.source;
  if (spec.tags.length === 0 && source === spec.source) return spec;
  return Object.freeze({ ...spec, source, tags: Object.freeze(warnings(spec.tags)) });
};

/** One's promise first, then what the other wants to see; neither can be talked out of it. */
export const inTurn = (first: Validator, second: Validator): Validator =>
  Object.assign(
    (value: unknown) => {
      const judged = first(value);
      return judged.ok ? second(judged.value) : judged;
    },
    { engine: `${first.engine} + ${second.engine}` },
  );
