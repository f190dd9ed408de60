import type { Stages } from "@api/calls.ts";
import { ForeignText } from "../components/foreign-text.tsx";

/** A note starts with the name of its layer. */
export const LayerNotes = ({ layers: { layers, notes } }: { readonly layers: Stages["layers"] }) => {
  const isOf = (layer: string, note: string): boolean => note.startsWith(`${layer}:`);
  const others = notes.filter((note) => !layers.some((layer) => isOf(layer, note)));
  if (layers.length === 0 && notes.length === 0) return <p className="text-soft">It has no layers.</p>;
  return (
    <>
      {layers.length > 0 && (
        <ol aria-label="Layers, outermost first" className="flex flex-col gap-1">
          {layers.map((layer, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a layer may be there twice
            <li key={index} className="grid grid-cols-[1.5rem_minmax(5rem,8rem)_minmax(0,1fr)] gap-x-2">
              <span className="text-soft">{index + 1}</span>
              <ForeignText text={layer} isCode />
              <div className="text-soft">
                {notes
                  .filter((note) => isOf(layer, note))
                  .map((note) => (
                    <ForeignText key={note} text={note} />
                  ))}
              </div>
            </li>
          ))}
        </ol>
      )}
      {others.map((note) => (
        <ForeignText key={note} text={note} className="text-soft" />
      ))}
    </>
  );
};
