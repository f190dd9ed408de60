import { createContext } from "react";

/** Undefined outside of a chat. */
export const OfferedMessageContext = createContext<((text: string) => void) | undefined>(undefined);
