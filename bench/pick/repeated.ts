import type { DataTool } from "./data.ts";

/** Every tenth tool is hidden from the principal, by the first letter of its name. */
const hiddenEvery = 10;
export const hiddenTools = "x_*";

/** Repeats the tools under other names up to the given size. */
export const repeated = (tools: readonly DataTool[], size: number): readonly DataTool[] =>
  Array.from({ length: size }, (_, at) => {
    const tool = tools[at % tools.length]!;
    const round = Math.floor(at / tools.length);
    const plain = tool.name
      .replaceAll(/[^A-Za-z0-9_-]+/g, "_")
      .replace(/^[_-]+/, "")
      .slice(0, 40);
    const name = `${at % hiddenEvery === 0 ? "x_" : ""}${plain}_${round}_${at % tools.length}`;
    return { ...tool, id: name, name };
  });
