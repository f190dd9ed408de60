import type { AnyTool } from "../words/tool.ts";
import { builtIn } from "./built-in.ts";
import { lateCode } from "./late-code.ts";
import { flag, oneOf, pathField, record, text, whole } from "./schemas.ts";
import type { SkillSettings } from "./skill-settings.ts";

export const fileRead = (settings: SkillSettings): AnyTool =>
  builtIn({
    name: "file-read",
    description:
      "Read a text file, whole or from one line to another. A long file is cut, and `next` says how to go on. Use file-list to see which files there are and file-search to find lines. `encoding: base64` reads anything.",
    input: record(
      {
        path: pathField,
        encoding: oneOf("How the bytes become text; utf-8 unless given.", [
          "utf-8",
          "utf-16le",
          "latin1",
          "base64",
        ]),
        from: whole("First line, counted from 1.", 1),
        to: whole("Last line; to the end unless given.", 1),
        offset: whole("First byte, in place of lines; `next` of a cut reading may name it.", 0),
        maxBytes: whole(
          `Most bytes to read; ${settings.files.maxBytes} unless given.`,
          1,
          settings.files.maxBytes,
        ),
      },
      ["path"],
    ),
    output: record(
      {
        path: text("The file, as the next call may name it."),
        encoding: text("How the bytes became text."),
        bytes: whole("Size of the whole file.", 0),
        content: text("What was read."),
        from: whole("First line that was read.", 1),
        to: whole("Last line that was read.", 1),
        cut: flag("Whether there is more."),
        next: { type: "object", description: "What to give besides the path to read on." },
        note: text("How to go on."),
        hash: text("SHA-256 of the whole file, for `ifUnchanged` of file-write."),
      },
      ["path", "encoding", "bytes", "content", "cut"],
    ),
    category: "file",
    risk: "medium",
    timeout: 5_000,
    tags: ["untrusted"],
    annotations: { title: "Read a file", readOnly: true, idempotent: true, openWorld: false },
    implementation: lateCode(
      () => import("./files/read-file.ts"),
      ({ fileReader }) => fileReader(settings),
    ),
  });
