import type { MediaPart } from "../../../types/content.ts";

/** The bytes as an address, or the address itself. */
export const dataUrl = ({ mediaType, data, url }: MediaPart): string =>
  data === undefined ? url : `data:${mediaType};base64,${data}`;

/** Providers tell types by the ending of a name, and want one. */
export const fileName = ({ mediaType, name }: MediaPart): string =>
  name ?? (mediaType.toLowerCase() === "application/pdf" ? "document.pdf" : "file");
