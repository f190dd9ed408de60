import type { AnyTool } from "../../types/tool.ts";
import { builtInTool } from "./built-in-tool.ts";
import { lazyImplementation } from "./lazy-implementation.ts";
import { booleanField, integerField, listField, objectSchema, textField } from "./schema-fields.ts";
import type { SkillSettings } from "./skill-settings.ts";

export const fileSearchTool = (settings: SkillSettings): AnyTool =>
  builtInTool({
    name: "file-search",
    description:
      "Find lines of text files that contain the query, with file and line number. The query is literal text unless `regex: true`, which skips lines of more than 2,000 characters. Files in node_modules, large files and files that are not text are skipped.",
    input: objectSchema(
      {
        query: textField("Text to find in a line.", { minLength: 1, maxLength: 500 }),
        regex: booleanField(
          "Treat the query as a regular expression. Look-arounds and back-references are not supported.",
        ),
        ignoreCase: booleanField("Ignore case. Only for a literal query."),
        path: textField("A folder or a file. Default: the first granted folder.", { minLength: 1 }),
        glob: textField('Only files whose path matches, such as "**/*.ts".', {
          minLength: 1,
          maxLength: 200,
        }),
        limit: integerField("Maximum number of lines. Default: 50.", 1, 500),
      },
      ["query"],
    ),
    output: objectSchema(
      {
        matches: listField(
          objectSchema(
            {
              path: textField("Path to use with file-read."),
              line: integerField("Line number; the first line is 1.", 1),
              text: textField("The line. A long line is truncated."),
            },
            ["path", "line", "text"],
          ),
          "Matching lines, sorted by path and number.",
        ),
        files: integerField("Number of files that were searched.", 0),
        cut: booleanField("Whether files or lines are missing from the result."),
        skipped: { type: "object", description: "Number of skipped files, by reason." },
        note: textField("How to get the rest."),
      },
      ["matches", "files", "cut"],
    ),
    category: "file",
    risk: "low",
    timeout: 20_000,
    tags: ["untrusted"],
    annotations: { title: "Search files", readOnly: true, idempotent: true, openWorld: false },
    implementation: lazyImplementation(
      () => import("./files/file-searcher.ts"),
      ({ fileSearcher }) => fileSearcher(settings),
    ),
  });
