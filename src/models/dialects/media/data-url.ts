import type { MediaPart } from "../../../types/content.ts";

export const dataUrl = ({ mediaType, data, url }: MediaPart): string =>
  data === undefined ? url : `data:${mediaType};base64,${data}`;

/** Providers require a name and use its extension. */
export const fileName = ({ mediaType, name }: MediaPart): string =>
  name ?? (mediaType.toLowerCase() === "application/pdf" ? "document.pdf" : "file");
