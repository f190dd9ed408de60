import type { AnyTool } from "../../types/tool.ts";
import { builtInTool } from "./built-in-tool.ts";
import { lazyImplementation } from "./lazy-implementation.ts";
import { booleanField, integerField, listField, objectSchema, textField } from "./schema-fields.ts";
import type { SkillSettings } from "./skill-settings.ts";

export const fileSearchTool = (settings: SkillSettings): AnyTool =>
  builtInTool({
    name: "file-search",
    description:
      "Find the lines of text files that hold some words, with their file and line number. The query is taken literally unless `regex: true`, which passes over lines of more than 2,000 characters. Files in node_modules, and those that are large or not text, are passed over.",
    input: objectSchema(
      {
        query: textField("What to look for in each line.", { minLength: 1, maxLength: 500 }),
        regex: booleanField("The query is a regular expression, without look-arounds and back-references."),
        ignoreCase: booleanField("Upper and lower case are the same; for a literal query only."),
        path: textField("A folder, or one file; the first granted folder unless given.", { minLength: 1 }),
        glob: textField('Only files whose path fits, such as "**/*.ts".', { minLength: 1, maxLength: 200 }),
        limit: integerField("Most lines; 50 unless given.", 1, 500),
      },
      ["query"],
    ),
    output: objectSchema(
      {
        matches: listField(
          objectSchema(
            {
              path: textField("The file, as file-read may name it."),
              line: integerField("Its number, counted from 1.", 1),
              text: textField("The line; a long one is cut."),
            },
            ["path", "line", "text"],
          ),
          "Lines, by path and number.",
        ),
        files: integerField("How many files were looked through.", 0),
        cut: booleanField("Whether there is more than was looked at or shown."),
        skipped: { type: "object", description: "How many files were passed over, and why." },
        note: textField("How to go on."),
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
