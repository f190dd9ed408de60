import type { CallContext } from "../../types/call.ts";

export const noteVariant = ({ note }: CallContext, variant: string, more?: string): void =>
  note(`variant: "${variant}"${more === undefined ? "" : `, ${more}`}`);
