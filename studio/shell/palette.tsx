import type { Me } from "@api/shared.ts";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Command, defaultFilter } from "cmdk";
import { useEffect, useRef, useState } from "react";
import { queries } from "../api/queries.ts";
import { ForeignText } from "../components/foreign-text.tsx";
import { markUnseen } from "../components/invisible-characters.ts";
import { Modal } from "./modal.tsx";
import { pageLinks } from "./page-links.ts";

const paletteItemClass =
  "flex h-9 cursor-pointer items-center gap-2.5 rounded-md px-2 data-[selected=true]:bg-accent-wash data-[selected=true]:text-accent";

/** Lookups by ID come last. */
const rankPaletteItem = (value: string, typed: string): number =>
  value.startsWith("id: ") ? 0.0001 : defaultFilter(value, typed);

export const Palette = ({ me, onClose }: { readonly me: Me; readonly onClose: () => void }) => {
  const [typed, setTyped] = useState("");
  const navigate = useNavigate();
  const field = useRef<HTMLInputElement>(null);
  // A dialog focuses its first element.
  useEffect(() => field.current?.focus(), []);
  const { data: tools } = useQuery(queries.tools({}));
  const go = (to: string): void => {
    onClose();
    void navigate({ to });
  };
  const id = encodeURIComponent(typed.trim());
  return (
    <Modal label="Go to" onClose={onClose} className="mt-[12vh] w-[36rem] max-w-[calc(100vw-2rem)]">
      <Command label="Go to" loop filter={rankPaletteItem}>
        <Command.Input
          ref={field}
          value={typed}
          onValueChange={setTyped}
          placeholder="Page, tool, call ID or run ID"
          className="h-11 w-full border-b border-line bg-transparent px-4 outline-none placeholder:text-soft"
        />
        <Command.List className="max-h-80 overflow-auto p-2">
          <Command.Empty className="p-3 text-soft">No results.</Command.Empty>
          {pageLinks
            .filter(({ isAvailable }) => isAvailable(me.features))
            .map(({ to, name, icon: Icon }) => (
              <Command.Item key={to} value={name} onSelect={() => go(to)} className={paletteItemClass}>
                <Icon size={16} />
                {markUnseen(name)}
              </Command.Item>
            ))}
          {typed.trim().length > 1 &&
            tools?.items.slice(0, 200).map(({ key }) => (
              <Command.Item
                key={key}
                value={`tool ${key}`}
                onSelect={() => go(`/tools/${encodeURIComponent(key)}`)}
                className={paletteItemClass}
              >
                <span className="text-soft">Tool</span>
                <ForeignText text={key} isLine />
              </Command.Item>
            ))}
          {typed.trim().length > 2 && (
            <>
              <Command.Item value="id: call" onSelect={() => go(`/calls/${id}`)} className={paletteItemClass}>
                <span className="text-soft">Call</span>
                <ForeignText text={typed.trim()} isLine />
              </Command.Item>
              <Command.Item value="id: run" onSelect={() => go(`/runs/${id}`)} className={paletteItemClass}>
                <span className="text-soft">Run</span>
                <ForeignText text={typed.trim()} isLine />
              </Command.Item>
            </>
          )}
        </Command.List>
      </Command>
    </Modal>
  );
};
