// biome-ignore-all lint/a11y/useSemanticElements: rows of a table element cannot be virtualized
// biome-ignore-all lint/a11y/useFocusableInteractive: the links in the rows are focusable
import { useVirtualizer } from "@tanstack/react-virtual";
import {
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { markUnseen } from "./invisible-characters.ts";
import { initialRows, updateRows } from "./windowed-rows.ts";

const cellClass = "min-w-0 truncate px-2";
const rowHeight = 36;
const loadMoreThreshold = 60;

export interface DataColumn<Row> {
  readonly id: string;
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  readonly className: string;
}

export interface DataTableHandle {
  readonly toTop: () => void;
}

/** A virtualized table. The link in the first cell covers the row, and keys move between rows. */
export const DataTable = <Row,>({
  label,
  rows,
  columns,
  idOf,
  onStart,
  onEnd,
  onScroll,
  count,
  handle,
}: {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly DataColumn<Row>[];
  readonly idOf: (row: Row) => string;
  /** The first loaded rows are visible; earlier ones may have been dropped. */
  readonly onStart?: () => void;
  /** The last loaded rows are visible. */
  readonly onEnd?: () => void;
  readonly onScroll?: (isAtTop: boolean) => void;
  /** Number of all rows, if more than the loaded ones. */
  readonly count?: number | undefined;
  readonly handle?: Ref<DataTableHandle>;
}) => {
  const scroll = useRef<HTMLDivElement>(null);
  const [placed, setPlaced] = useState(() => initialRows(rows));
  const now = placed.rows === rows ? placed : updateRows(placed, rows, idOf);
  if (now !== placed) setPlaced(now);
  const { before, moved } = now;
  const virtual = useVirtualizer({
    count: rows.length,
    paddingStart: before * rowHeight,
    getScrollElement: () => scroll.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    getItemKey: (index) => (index < rows.length ? idOf(rows[index]!) : index),
  });
  const movedWas = useRef(moved);
  useLayoutEffect(() => {
    if (scroll.current !== null) scroll.current.scrollTop += (moved - movedWas.current) * rowHeight;
    movedWas.current = moved;
  }, [moved]);
  const items = virtual.getVirtualItems();
  const [first, last] = [items.at(0)?.index ?? 0, items.at(-1)?.index ?? 0];
  // A full window can have new rows at the same positions.
  useEffect(() => {
    if (rows.length > 0 && last >= rows.length - loadMoreThreshold) onEnd?.();
    if (rows.length > 0 && first <= loadMoreThreshold) onStart?.();
  }, [rows, first, last, onEnd, onStart]);
  useImperativeHandle(handle, () => ({ toTop: () => virtual.scrollToOffset(0) }), [virtual]);
  /** A distant row is rendered only after scrolling. */
  const wanted = useRef<number>(undefined);
  const focusWanted = (): void => {
    const link = scroll.current?.querySelector<HTMLElement>(`[data-index="${wanted.current}"] a`);
    if (link == null) return;
    wanted.current = undefined;
    link.focus({ preventScroll: true });
  };
  useEffect(() => {
    if (wanted.current !== undefined) focusWanted();
  });
  const press = (event: KeyboardEvent<HTMLDivElement>): void => {
    const row = (event.target as HTMLElement).closest<HTMLElement>("[data-index]");
    if (row === null) return;
    const page = Math.max(1, Math.floor((scroll.current?.clientHeight ?? 0) / rowHeight) - 1);
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -rows.length,
      End: rows.length,
    };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = Math.min(rows.length - 1, Math.max(0, Number(row.dataset.index) + step));
    wanted.current = next;
    virtual.scrollToIndex(next);
    focusWanted();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys move the focus between links
    <div
      ref={scroll}
      className="panel relative min-h-40 overflow-auto"
      onKeyDown={press}
      onScroll={({ currentTarget }) => onScroll?.(currentTarget.scrollTop < rowHeight)}
    >
      <div role="table" aria-label={markUnseen(label)} aria-rowcount={(count ?? rows.length) + 1}>
        <div role="rowgroup" className="sticky top-0 z-10 border-b border-line bg-panel">
          <div
            role="row"
            aria-rowindex={1}
            className="flex h-8 items-center px-2 text-xs font-medium text-soft"
          >
            {columns.map(({ id, header: heading, className }) => (
              <div key={id} role="columnheader" className={`${cellClass} ${className}`}>
                {heading}
              </div>
            ))}
          </div>
        </div>
        <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index, key, start }) => (
            <div
              key={key}
              role="row"
              data-index={index}
              aria-rowindex={before + index + 2}
              className="absolute inset-x-0 flex items-center border-b border-line px-2 focus-within:bg-accent-wash hover:bg-hover"
              style={{ height: rowHeight, transform: `translateY(${start}px)` }}
            >
              {index < rows.length &&
                columns.map(({ id, cell, className }) => (
                  <div key={id} role="cell" className={`${cellClass} ${className}`}>
                    {cell(rows[index]!)}
                  </div>
                ))}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
};

export const rowLinkClass =
  "font-medium text-ink before:absolute before:inset-0 before:content-[''] focus-visible:outline-none focus-visible:before:outline-2 focus-visible:before:outline-accent focus-visible:before:-outline-offset-2";
