import type { AnyTool } from "../words/tool.ts";
import { builtIn } from "./built-in.ts";
import { lateCode } from "./late-code.ts";
import { flag, listOf, oneOf, record, text, whole } from "./schemas.ts";
import type { SkillSettings } from "./skill-settings.ts";

export const fileList = (settings: SkillSettings): AnyTool =>
  builtIn({
    name: "file-list",
    description:
      'List the files and folders in a folder, sorted by path. `glob: "**/*.md"` goes through folders below, but not into node_modules.',
    input: record(
      {
        path: text("The folder; the first granted one unless given.", { minLength: 1 }),
        glob: text("Only paths that fit: * and ? inside of one name, ** across folders, {a,b} for either.", {
          minLength: 1,
          maxLength: 200,
        }),
        depth: whole("How many folders deep; 1, or 32 with a glob that has a slash, unless given.", 1, 32),
        limit: whole("Most entries; 200 unless given.", 1, 1_000),
        after: text("Only what comes after this path, to go on with a list that was cut."),
      },
      [],
    ),
    output: record(
      {
        path: text("The folder."),
        entries: listOf(
          record(
            {
              path: text("As the next call may name it."),
              kind: oneOf("What it is. Links are not followed.", ["file", "folder", "link", "other"]),
              bytes: whole("Size of a file.", 0),
            },
            ["path", "kind"],
          ),
          "What there is.",
        ),
        cut: flag("Whether there is more."),
        note: text("How to go on."),
      },
      ["path", "entries", "cut"],
    ),
    category: "file",
    risk: "low",
    timeout: 10_000,
    tags: ["untrusted"],
    annotations: { title: "List files", readOnly: true, idempotent: true, openWorld: false },
    implementation: lateCode(
      () => import("./files/list-files.ts"),
      ({ fileLister }) => fileLister(settings),
    ),
  });
