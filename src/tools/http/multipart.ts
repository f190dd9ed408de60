import { hashText } from "../../base/json/hash.ts";

export interface FieldPart {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly filename?: string;
  readonly type?: string;
}

/** No name can inject a header. */
const quoted = (text: string): string =>
  `"${text.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A")}"`;

/** The boundary is a hash of the parts, so that no part contains it. */
export const toMultipart = (
  parts: readonly FieldPart[],
): { readonly boundary: string; readonly body: Uint8Array } => {
  const inside = parts.map(
    (part) => `${JSON.stringify(part.name)} ${Buffer.from(part.bytes).toString("base64")}`,
  );
  const boundary = `haft-${hashText(inside.join("\n")).slice(0, 32)}`;
  const chunks = parts.flatMap(({ name, filename, type, bytes }) => [
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name=${quoted(name)}` +
        `${filename === undefined ? "" : `; filename=${quoted(filename)}`}\r\n` +
        `${type === undefined ? "" : `Content-Type: ${type.replace(/[\r\n]/g, " ")}\r\n`}\r\n`,
    ),
    Buffer.from(bytes),
    Buffer.from("\r\n"),
  ]);
  return { boundary, body: Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]) };
};
