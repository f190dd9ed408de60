import type { AnyTool } from "../words/tool.ts";
import { builtIn } from "./built-in.ts";
import { lateCode } from "./late-code.ts";
import { flag, listOf, record, text, whole } from "./schemas.ts";
import type { SkillSettings } from "./skill-settings.ts";

export const fileSearch = (settings: SkillSettings): AnyTool =>
  builtIn({
    name: "file-search",
    description:
      "Find the lines of text files that hold some words, with their file and line number. The query is taken literally unless `regex: true`, which passes over lines of more than 2,000 characters. Files in node_modules, and those that are large or not text, are passed over.",
    input: record(
      {
        query: text("What to look for in each line.", { minLength: 1, maxLength: 500 }),
        regex: flag("The query is a regular expression, without look-arounds and back-references."),
        ignoreCase: flag("Upper and lower case are the same; for a literal query only."),
        path: text("A folder, or one file; the first granted folder unless given.", { minLength: 1 }),
        glob: text('Only files whose path fits, such as "**/*.ts".', { minLength: 1, maxLength: 200 }),
        limit: whole("Most lines; 50 unless given.", 1, 500),
      },
      ["query"],
    ),
    output: record(
      {
        matches: listOf(
          record(
            {
              path: text("The file, as file-read may name it."),
              line: whole("Its number, counted from 1.", 1),
              text: text("The line; a long one is cut."),
            },
            ["path", "line", "text"],
          ),
          "Lines, by path and number.",
        ),
        files: whole("How many files were looked through.", 0),
        cut: flag("Whether there is more than was looked at or shown."),
        skipped: { type: "object", description: "How many files were passed over, and why." },
        note: text("How to go on."),
      },
      ["matches", "files", "cut"],
    ),
    category: "file",
    risk: "low",
    timeout: 20_000,
    tags: ["untrusted"],
    annotations: { title: "Search files", readOnly: true, idempotent: true, openWorld: false },
    implementation: lateCode(
      () => import("./files/search-files.ts"),
      ({ fileSearcher }) => fileSearcher(settings),
    ),
  });
