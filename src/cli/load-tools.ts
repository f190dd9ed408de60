import { type LibrarySource, toLibrary } from "../agent/to-library.ts";
import type { JsonObject } from "../base/json/json-value.ts";
import { isTool } from "../registry/library/library-entry.ts";
import { toTool } from "../tools/decorator.ts";
import type { Library } from "../types/agent.ts";
import type { AnyTool } from "../types/tool.ts";
import { CommandUsageError } from "./command.ts";
import { type ImportOptions, loadModule } from "./load-module.ts";

export const loadTools = async (
  files: readonly string[],
  options: Pick<ImportOptions, "onlyKnown"> = {},
): Promise<readonly AnyTool[]> => {
  const found: AnyTool[] = [];
  for (const file of files) {
    const tools = exportedTools(await loadModule(file, "file of tools", options));
    if (tools.length === 0) {
      throw new CommandUsageError(
        `${file} exports no tool. Export the result of tool({ … }), or a class with @Tool.`,
      );
    }
    found.push(...tools);
  }
  return found;
};

const exportedTools = (module: JsonObject): readonly AnyTool[] =>
  [...new Set(Object.values(module).flat())].flatMap((value) => {
    const tool = toTool(value) ?? value;
    return isTool(tool) ? [tool] : [];
  });

export const loadLibrary = async (file: string): Promise<Library> => {
  const module = await loadModule(file, "library");
  const given = module.library ?? module.default;
  if (typeof given === "object" && given !== null) return toLibrary(given as LibrarySource);
  const entries = Object.entries(module).flatMap(([name, value]): [string, unknown][] => {
    const tool = toTool(value) ?? value;
    if (isTool(tool)) return [[tool.spec.name, tool]];
    return typeof value === "function" ? [[name, value]] : [];
  });
  if (entries.length === 0)
    throw new CommandUsageError(`${file} exports no code: tools, functions, or a \`library\`.`);
  return toLibrary(Object.fromEntries(entries) as LibrarySource);
};
