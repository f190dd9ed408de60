import type { AnyTool } from "../../types/tool.ts";
import { builtInTool } from "./built-in-tool.ts";
import { lazyImplementation } from "./lazy-implementation.ts";
import {
  booleanField,
  enumField,
  integerField,
  objectSchema,
  pathField,
  textField,
} from "./schema-fields.ts";
import type { SkillSettings } from "./skill-settings.ts";

export const fileReadTool = (settings: SkillSettings): AnyTool =>
  builtInTool({
    name: "file-read",
    description:
      "Read a text file, whole or from one line to another. A long file is cut, and `next` says how to go on. Use file-list to see which files there are and file-search to find lines. `encoding: base64` reads anything.",
    input: objectSchema(
      {
        path: pathField,
        encoding: enumField("How the bytes become text; utf-8 unless given.", [
          "utf-8",
          "utf-16le",
          "latin1",
          "base64",
        ]),
        from: integerField("First line, counted from 1.", 1),
        to: integerField("Last line; to the end unless given.", 1),
        offset: integerField("First byte, in place of lines; `next` of a cut reading may name it.", 0),
        maxBytes: integerField(
          `Most bytes to read; ${settings.files.maxBytes} unless given.`,
          1,
          settings.files.maxBytes,
        ),
      },
      ["path"],
    ),
    output: objectSchema(
      {
        path: textField("The file, as the next call may name it."),
        encoding: textField("How the bytes became text."),
        bytes: integerField("Size of the whole file.", 0),
        content: textField("What was read."),
        from: integerField("First line that was read.", 1),
        to: integerField("Last line that was read.", 1),
        cut: booleanField("Whether there is more."),
        next: { type: "object", description: "What to give besides the path to read on." },
        note: textField("How to go on."),
        hash: textField("SHA-256 of the whole file, for `ifUnchanged` of file-write."),
      },
      ["path", "encoding", "bytes", "content", "cut"],
    ),
    category: "file",
    risk: "medium",
    timeout: 5_000,
    tags: ["untrusted"],
    annotations: { title: "Read a file", readOnly: true, idempotent: true, openWorld: false },
    implementation: lazyImplementation(
      () => import("./files/file-reader.ts"),
      ({ fileReader }) => fileReader(settings),
    ),
  });
