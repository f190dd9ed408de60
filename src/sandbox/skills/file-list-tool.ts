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
      'List the files and folders in a folder, sorted by path. `glob: "**/*.md"` also lists subfolders, except node_modules.',
    input: objectSchema(
      {
        path: textField("The folder. Default: the first granted folder.", { minLength: 1 }),
        glob: textField(
          "Only paths that match: * and ? within a name, ** across folders, {a,b} for alternatives.",
          {
            minLength: 1,
            maxLength: 200,
          },
        ),
        depth: integerField("How many levels of folders. Default: 1, or 32 if the glob has a slash.", 1, 32),
        limit: integerField("Maximum number of entries. Default: 200.", 1, 1_000),
        after: textField("Only entries after this path, to continue a truncated list."),
      },
      [],
    ),
    output: objectSchema(
      {
        path: textField("The folder."),
        entries: listField(
          objectSchema(
            {
              path: textField("Path to use in the next call."),
              kind: enumField("Kind of the entry. Links are not followed.", [
                "file",
                "folder",
                "link",
                "other",
              ]),
              bytes: integerField("Size of the file.", 0),
            },
            ["path", "kind"],
          ),
          "The entries.",
        ),
        cut: booleanField("Whether the list was truncated."),
        note: textField("How to get the rest."),
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
