import type { AnyTool } from "../../types/tool.ts";
import { builtInTool } from "./built-in-tool.ts";
import { lazyImplementation } from "./lazy-implementation.ts";
import {
  booleanField,
  enumField,
  integerField,
  listField,
  objectSchema,
  textField,
} from "./schema-fields.ts";
import type { SkillSettings } from "./skill-settings.ts";

export const fileListTool = (settings: SkillSettings): AnyTool =>
  builtInTool({
    name: "file-list",
    description:
      'List the files and folders in a folder, sorted by path. `glob: "**/*.md"` goes through folders below, but not into node_modules.',
    input: objectSchema(
      {
        path: textField("The folder; the first granted one unless given.", { minLength: 1 }),
        glob: textField(
          "Only paths that fit: * and ? inside of one name, ** across folders, {a,b} for either.",
          {
            minLength: 1,
            maxLength: 200,
          },
        ),
        depth: integerField(
          "How many folders deep; 1, or 32 with a glob that has a slash, unless given.",
          1,
          32,
        ),
        limit: integerField("Most entries; 200 unless given.", 1, 1_000),
        after: textField("Only what comes after this path, to go on with a list that was cut."),
      },
      [],
    ),
    output: objectSchema(
      {
        path: textField("The folder."),
        entries: listField(
          objectSchema(
            {
              path: textField("As the next call may name it."),
              kind: enumField("What it is. Links are not followed.", ["file", "folder", "link", "other"]),
              bytes: integerField("Size of a file.", 0),
            },
            ["path", "kind"],
          ),
          "What there is.",
        ),
        cut: booleanField("Whether there is more."),
        note: textField("How to go on."),
      },
      ["path", "entries", "cut"],
    ),
    category: "file",
    risk: "low",
    timeout: 10_000,
    tags: ["untrusted"],
    annotations: { title: "List files", readOnly: true, idempotent: true, openWorld: false },
    implementation: lazyImplementation(
      () => import("./files/file-lister.ts"),
      ({ fileLister }) => fileLister(settings),
    ),
  });
