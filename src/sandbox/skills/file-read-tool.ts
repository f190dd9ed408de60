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
      "Read a text file, or a range of its lines. A long file is truncated, and `next` has the arguments for the next part. Use file-list to list files and file-search to find lines. `encoding: base64` reads any file.",
    input: objectSchema(
      {
        path: pathField,
        encoding: enumField("Encoding of the file. Default: utf-8.", [
          "utf-8",
          "utf-16le",
          "latin1",
          "base64",
        ]),
        from: integerField("First line; line numbers begin with 1.", 1),
        to: integerField("Last line. Default: the last line of the file.", 1),
        offset: integerField(
          "First byte, instead of `from` and `to`. `next` of a truncated result may contain it.",
          0,
        ),
        maxBytes: integerField(
          `Maximum number of bytes to read. Default: ${settings.files.maxBytes}.`,
          1,
          settings.files.maxBytes,
        ),
      },
      ["path"],
    ),
    output: objectSchema(
      {
        path: textField("Path to use in the next call."),
        encoding: textField("Encoding of the content."),
        bytes: integerField("Size of the whole file.", 0),
        content: textField("Content that was read."),
        from: integerField("First line that was read.", 1),
        to: integerField("Last line that was read.", 1),
        cut: booleanField("Whether the content was truncated."),
        next: { type: "object", description: "Arguments for the next part, in addition to the path." },
        note: textField("How to get the rest."),
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
